/** What a request did to each item of a partition. */
import type { Run, TracedPartition } from "../contract";
import { identityOf } from "./values";

/** What was done to one item. */
export interface Marks {
  readonly examined: boolean;
  readonly returned: boolean;
  readonly written: boolean;
}

/** An item that the request left alone. */
export const UNMARKED: Marks = { examined: false, returned: false, written: false };

/** The marks of a partition's items, in their order. `ids` are the items' keys, as `identityOf` writes them, and
 *  `wrote` are the keys of the items that the request wrote. */
export function marksOf(
  ids: readonly string[],
  keys: readonly string[],
  traced: readonly TracedPartition[],
  wrote: ReadonlySet<string>,
): readonly Marks[] {
  if (traced.length === 0 && wrote.size === 0) return ids.map(() => UNMARKED);
  const places = new Map(ids.map((id, place) => [id, place]));
  const examined = new Set<number>();
  const returned = new Set<string>();
  for (const partition of traced) {
    for (const run of partition.runs) {
      const [from, to] = rangeOf(run, keys, places);
      for (let place = from; place <= to; place += 1) examined.add(place);
    }
    for (const key of partition.returned) returned.add(identityOf(keys, key));
  }
  return ids.map((id, place) => ({
    examined: examined.has(place),
    returned: returned.has(id),
    written: wrote.has(id),
  }));
}

/** The places from a run's one end to its other, whichever way it went. An end that is not drawn lies beyond the
 *  last item that is: a plan leaves out a partition's end. */
function rangeOf(run: Run, keys: readonly string[], places: ReadonlyMap<string, number>): [number, number] {
  const first = places.get(identityOf(keys, run.first));
  const last = places.get(identityOf(keys, run.last));
  const drawn = [first, last].filter((place) => place !== undefined);
  if (drawn.length === 0) return [0, -1];
  return [Math.min(...drawn), drawn.length === 1 ? places.size - 1 : Math.max(...drawn)];
}
