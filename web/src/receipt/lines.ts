/** A trace as the lines of a receipt. Every figure is the trace's own; this file only words it. */
import type { Access, Step, Trace } from "../contract";
import { bytes, counted, grouped, units } from "../figures";
import { keyText } from "../plan/values";

/** One line: what, and how much. */
export interface Line {
  readonly label: string;
  readonly figure: string;
  readonly mark: "x" | "r" | null;
  /** The service's own name for the figure, where its answer has one. */
  readonly name: string | null;
}

/** Lines that belong together, a dashed rule above each group. */
export type Group = readonly Line[];

/** What the ruler draws: bytes against the blocks they are charged in. */
export interface Ruler {
  readonly blocks: number;
  readonly examined: number;
  /** The share of the examined bytes that was returned, for the fill's length alone. */
  readonly returned: number;
  readonly block: string;
  readonly charged: string;
  readonly label: string;
}

/** The groups of one access: what was touched, then the arithmetic. `named` says whether the answer itself has
 *  ScannedCount and Count. */
export function groupsOf(access: Access, named: boolean): Group[] {
  const touched: Line[] = [
    line("partitions touched", grouped(access.partitions.length)),
    { ...line("examined", grouped(access.examined.items)), mark: "x", name: named ? "ScannedCount" : null },
    { ...line("returned", grouped(access.returned.items)), mark: "r", name: named ? "Count" : null },
  ];
  const { charged } = access;
  const sides: Line[] = [];
  if (access.before !== undefined) sides.push(line("bytes before", grouped(access.before)));
  if (access.after !== undefined) sides.push(line("bytes after", grouped(access.after)));
  const arithmetic = access.arithmetic.flatMap((step) => linesOf(step, access.kind));
  const groups: Group[] = [touched, [...sides, ...arithmetic]];
  if (charged.bytes > 0)
    groups.push([
      line("bytes charged", grouped(charged.bytes)),
      line("hidden by rounding", grouped(charged.hidden)),
    ]);
  groups.push([line(subjectOf(access), unitsOf(access.units))]);
  return groups.filter((group) => group.length > 0);
}

/** What rounding hid, in plain words: `310 B read, 4 KB charged.` Nothing where it hid nothing. */
export function hiddenWords({ kind, arithmetic, charged }: Access): string | null {
  const measured = arithmetic.find(({ step }) => step === "bytes");
  if (charged.hidden === 0 || measured === undefined) return null;
  return `${bytes(measured.value)} ${kind === "read" ? "read" : "written"}, ${blockText(charged.bytes)} charged.`;
}

/** `4 KB`, `4,096 B` being that. */
function blockText(figure: number): string {
  return figure % 1024 === 0 ? `${grouped(figure / 1024)} KB` : bytes(figure);
}

/** How many times one total is another: `7×`. Nothing where either is nothing, or they are charged in other units. */
export function factorOf(one: Trace, other: Trace): string | null {
  const [left, right] = [chargedIn(one), chargedIn(other)];
  if (left.length !== 1 || right.length !== 1 || left[0] !== right[0]) return null;
  const side = left[0] ?? "read";
  const [less, more] = [one.units[side], other.units[side]].sort((a, b) => a - b);
  if (less === undefined || more === undefined || less === 0) return null;
  const times = more / less;
  return `${Number.isInteger(times) ? grouped(times) : times.toFixed(1)}×`;
}

/** The units that an answer itself tells, where there is no trace. */
export function consumedIn(answer: Readonly<Record<string, unknown>> | null): string | null {
  const consumed = answer?.["ConsumedCapacity"];
  const each = Array.isArray(consumed) ? (consumed as unknown[]) : [consumed];
  const figures = each.map((one) => (one as { CapacityUnits?: unknown } | undefined)?.CapacityUnits);
  const known = figures.filter((figure) => typeof figure === "number");
  return known.length === 0 ? null : units(known.reduce((sum, figure) => sum + figure, 0));
}

/** The key of the one partition that an access touched; none where it touched more. */
export function partitionText({ partitions }: Access): string {
  const [only, ...more] = partitions;
  return only === undefined || more.length > 0
    ? ""
    : Object.values(only.partitionKey).map(keyText).join(", ");
}

/** What was examined and returned, or written, in plain words. */
export function plainWords(access: Access, refused: boolean): string {
  const { examined, returned } = access;
  if (access.kind === "write") return refused ? refusedWords(access) : writtenWords(access);
  const read = `${counted(examined.items, "item")} ${examined.items === 1 ? "was" : "were"} read`;
  const rest = examined.items - returned.items;
  if (examined.items === 0) return "No item was read.";
  if (rest === 0) return `${read}, and ${examined.items === 1 ? "it" : "all"} came back.`;
  return `${read} and charged; ${returned.items === 0 ? "none" : grouped(returned.items)} came back.`;
}

/** A write is charged by the larger of the item's two sides. */
function writtenWords({ before = 0, after = 0 }: Access): string {
  if (before === 0 && after === 0) return "No item was there, and none was written.";
  if (before === 0) return "A new item was written; none was there before.";
  if (after === 0) return "The item was deleted. Its bytes are charged.";
  return "An item was there before. The larger of the two is charged.";
}

function refusedWords({ before = 0 }: Access): string {
  const there = before === 0 ? "No item was there" : "The item that is there was examined";
  return `${there}; nothing was written. A refused write is charged all the same.`;
}

/** The one sentence of the live region: "15 examined, 3 returned, 2.0 read units." */
export function sentenceOf(trace: Trace): string {
  const examined = trace.accesses.reduce((sum, access) => sum + access.examined.items, 0);
  const returned = trace.accesses.reduce((sum, access) => sum + access.returned.items, 0);
  return `${grouped(examined)} examined, ${grouped(returned)} returned, ${totalText(trace)}.`;
}

/** A sum of units. */
export interface Total {
  readonly figure: string;
  readonly unit: string;
}

const CHARGED_FOR_READING: ReadonlySet<string> = new Set([
  "GetItem",
  "BatchGetItem",
  "TransactGetItems",
  "Query",
  "Scan",
]);
const CHARGED_FOR_WRITING: ReadonlySet<string> = new Set([
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
]);

/** The units that a request is charged in: what it cost, and where that is nothing what its operation would. */
export function chargedIn({ operation, units: { read, write } }: Trace): readonly ("read" | "write")[] {
  if (read > 0 && write > 0) return ["read", "write"];
  if (write > 0 || (read === 0 && CHARGED_FOR_WRITING.has(operation))) return ["write"];
  return read > 0 || CHARGED_FOR_READING.has(operation) ? ["read"] : [];
}

/** The totals with their units; an operation on tables or tags is charged in neither. */
export function totalsOf(trace: Trace): Total[] {
  const sides = chargedIn(trace);
  if (sides.length === 0) return [{ figure: "0", unit: "units" }];
  return sides.map((side) => ({ figure: units(trace.units[side]), unit: `${side} units` }));
}

/** The totals in words: `0.5 read units`. */
export function totalText(trace: Trace): string {
  return totalsOf(trace)
    .map(({ figure, unit }) => `${figure} ${unit}`)
    .join(", ");
}

/** The ruler of an access, where its arithmetic divides bytes into blocks. */
export function rulerOf(access: Access): Ruler | null {
  const divided = access.arithmetic.find(({ step }) => step === "divide");
  const rounded = access.arithmetic.find(({ step }) => step === "round-up");
  if (divided?.by === undefined || rounded === undefined || rounded.value === 0) return null;
  const share = access.examined.bytes === 0 ? 0 : access.returned.bytes / access.examined.bytes;
  const block = bytes(divided.by);
  return {
    blocks: rounded.value,
    examined: divided.value,
    returned: access.kind === "read" ? divided.value * share : 0,
    block,
    charged: bytes(access.charged.bytes),
    label: `${divided.value.toFixed(2)} blocks of ${block} used, ${grouped(rounded.value)} charged`,
  };
}

function linesOf(step: Step, kind: Access["kind"]): Line[] {
  switch (step.step) {
    case "bytes":
      return [line(kind === "read" ? "bytes read" : "the larger", grouped(step.value))];
    case "divide":
      return [line(`÷ ${grouped(step.by ?? 1)}`, step.value.toFixed(2))];
    case "round-up":
      return [
        line(
          step.parts === undefined ? "rounded up" : `${grouped(step.parts)} items, each rounded up`,
          grouped(step.value),
        ),
      ];
    case "minimum":
      return [line("at least", grouped(step.value))];
    case "factor":
      return [line(step.because ?? "factor", `× ${step.by ?? 1}`)];
    default:
      return [line(step.because ?? step.step, grouped(step.value))];
  }
}

/** What an access went to. */
export function subjectOf(access: Access): string {
  return access.index === null ? `table ${access.table}` : `index ${access.index}`;
}

/** An access's units as a figure. */
export function unitsOf({ read, write }: Access["units"]): string {
  return units(write > 0 ? write : read);
}

function line(label: string, figure: string): Line {
  return { label, figure, mark: null, name: null };
}
