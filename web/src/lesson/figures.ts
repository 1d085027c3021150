/** A request's figures as a step prints them, and where they are not what the lesson states. */
import type { StatedAnswer, Trace } from "../contract";
import { grouped, units } from "../figures";
import type { Entry } from "../studio/ledger.svelte";

/** Items read and returned, and units, over all that a request touched. */
export interface Figures {
  readonly examined: number;
  readonly returned: number;
  readonly read: number;
  readonly write: number;
}

/** The figures of one trace, or of several together. */
export function figuresOf(...traces: readonly (Trace | null)[]): Figures {
  const there = traces.filter((trace) => trace !== null);
  const reads = there.flatMap(({ accesses }) => accesses).filter(({ kind }) => kind === "read");
  return {
    examined: reads.reduce((sum, { examined }) => sum + examined.items, 0),
    returned: reads.reduce((sum, { returned }) => sum + returned.items, 0),
    read: there.reduce((sum, trace) => sum + trace.units.read, 0),
    write: there.reduce((sum, trace) => sum + trace.units.write, 0),
  };
}

/** Several traces as one, whose units are their sum. */
export function summed(traces: readonly (Trace | null)[]): Trace | null {
  const there = traces.filter((trace) => trace !== null);
  const [first] = there;
  if (first === undefined) return null;
  const { read, write } = figuresOf(...there);
  return {
    operation: first.operation,
    accesses: there.flatMap(({ accesses }) => accesses),
    units: { read, write },
  };
}

/** What the lesson states and this answer is not, in words; nothing where all is as stated. */
export function otherThanStated(stated: StatedAnswer, entry: Entry): string | null {
  const figures = figuresOf(entry.trace);
  const other: string[] = [];
  const compare = (is: number, said: number | undefined, words: (figure: number) => string): void => {
    if (said !== undefined && is !== said) other.push(words(said));
  };
  compare(figures.examined, stated.examined, (figure) => `${grouped(figure)} examined`);
  compare(figures.returned, stated.returned, (figure) => `${grouped(figure)} returned`);
  compare(figures.read, stated.read, (figure) => `${units(figure)} read units`);
  compare(figures.write, stated.write, (figure) => `${units(figure)} write units`);
  if (stated.error !== undefined && entry.error?.type !== stated.error) other.push(stated.error);
  if (stated.error === undefined && entry.error !== null) other.push("no error");
  return other.length === 0 ? null : other.join(", ");
}
