/** What a check saw, as key plans: each table or index that was read, in small, at one cell an item. */
import type { Access, Inspection, LessonData, Verdict } from "../contract";
import { counted } from "../figures";
import { planOf } from "../plan/rooms";

/** A larger table is drawn in part. */
const ROOMS_MAX = 12;
const CELLS_MAX = 40;

/** One item. */
export interface Cell {
  readonly examined: boolean;
  readonly returned: boolean;
}

/** One table or index. */
export interface SmallPlan {
  readonly name: string;
  /** What it shows, in words. */
  readonly label: string;
  readonly rooms: readonly {
    readonly name: string;
    readonly cells: readonly Cell[];
    readonly more: number;
  }[];
  /** Partitions that are not drawn. */
  readonly more: number;
}

/** The key plans of all that the reader's requests read on the data that the reader sees. */
export function seenBy(data: LessonData, { receipts }: Verdict): readonly SmallPlan[] {
  const accesses = receipts.flatMap(({ trace }) => trace?.accesses ?? []);
  const reads = accesses.filter(({ kind }) => kind === "read");
  return [...data.inspections, ...data.indexInspections]
    .filter((inspection) => reads.some((access) => isOf(access, inspection)))
    .map((inspection) => smallPlan(inspection, reads));
}

function isOf(access: Access, { table, index }: Inspection): boolean {
  return access.table === table && access.index === index;
}

function smallPlan(inspection: Inspection, accesses: readonly Access[]): SmallPlan {
  const { rooms, table, index } = planOf(inspection, accesses);
  const drawn = rooms.map((room) => ({
    name: room.name,
    cells: room.segments.flatMap(({ items }) => items),
  }));
  const cells = drawn.flatMap((room) => room.cells);
  const [examined, returned] = [cells.filter((cell) => cell.examined), cells.filter((cell) => cell.returned)];
  const touched = drawn.filter((room) => room.cells.some((cell) => cell.examined)).length;
  const name = index ?? table;
  return {
    name,
    label:
      `Key plan of ${name}: ${counted(examined.length, "item")} examined ` +
      `in ${counted(touched, "partition")}, ${returned.length} returned`,
    rooms: drawn.slice(0, ROOMS_MAX).map((room) => ({
      name: room.name,
      cells: room.cells.slice(0, CELLS_MAX),
      more: Math.max(0, room.cells.length - CELLS_MAX),
    })),
    more: Math.max(0, drawn.length - ROOMS_MAX),
  };
}
