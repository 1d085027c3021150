/** Long partitions fold what was not touched; what was examined stays in sight, unless more than 40 were. */
import { counted } from "../figures";
import type { PlanItem } from "./rooms";

/** A partition of at most this many items is never folded. */
const ITEMS_UNFOLDED_MAX = 12;
/** Before a request, this many stand in sight at the head of a long partition. */
const ITEMS_AT_HEAD = 10;
/** Beside what was touched, this many neighbours stay in sight. */
const NEIGHBOURS = 2;
/** More examined items than this are folded, and the fold says how many. */
const EXAMINED_UNFOLDED_MAX = 40;

/** A stretch of a room: items in sight, or a fold that opens. */
export interface Segment {
  readonly id: string;
  readonly items: readonly PlanItem[];
  /** The fold's words; none for items in sight. */
  readonly fold: string | null;
  /** Whether the fold holds examined items and carries their outline. */
  readonly outlined: boolean;
}

/** The stretches of a room. `asked` says whether a request has run on this table. */
export function foldsOf(items: readonly PlanItem[], asked: boolean): Segment[] {
  const folded = items.length > ITEMS_UNFOLDED_MAX ? foldedPlaces(items) : items.map(() => false);
  const segments: Segment[] = [];
  let start = 0;
  for (let end = 1; end <= items.length; end += 1) {
    if (end < items.length && folded[end] === folded[start]) continue;
    segments.push(segmentOf(items.slice(start, end), folded[start] === true, asked));
    start = end;
  }
  return segments;
}

function foldedPlaces(items: readonly PlanItem[]): boolean[] {
  const touched = items.map((item) => item.examined || item.returned || item.written);
  if (!touched.includes(true)) return items.map((_, place) => place >= ITEMS_AT_HEAD);
  const examined = items.filter((item) => item.examined).length;
  if (examined > EXAMINED_UNFOLDED_MAX) {
    const first = touched.indexOf(true);
    const last = touched.lastIndexOf(true);
    const inSight = (place: number): boolean =>
      Math.abs(place - first) <= NEIGHBOURS || Math.abs(place - last) <= NEIGHBOURS;
    return items.map((_, place) => !inSight(place));
  }
  const near = (place: number): boolean =>
    touched.slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS + 1).includes(true);
  return items.map((_, place) => !near(place));
}

function segmentOf(items: readonly PlanItem[], folded: boolean, asked: boolean): Segment {
  const id = items[0]?.id ?? "";
  if (!folded) return { id, items, fold: null, outlined: false };
  const examined = items.filter((item) => item.examined).length;
  const returned = items.filter((item) => item.returned).length;
  const count = counted(items.length, "item");
  if (examined > 0)
    return { id, items, fold: `${count}, ${examined} examined, ${returned} returned`, outlined: true };
  return { id, items, fold: asked ? `${count}, not read` : `${count} more`, outlined: false };
}
