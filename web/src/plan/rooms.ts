/** The plan as data: partitions as rooms in the order a Scan meets them, items in key order, and on each what
 *  the last request did to it. Rust renders the same plan before the first request (crates/site, plan.rs). */
import type { Access, InspectedPartition, Inspection, Item, TracedPartition } from "../contract";
import type { WrittenItem } from "../studio/written";
import { bytes, counted } from "../figures";
import {
  columnsOf,
  identityNames,
  keyNames,
  keyWidthOf,
  laidOut,
  partitionNames,
  sortNames,
  wordsFit,
} from "./columns";
import type { Column, KeyWidth, LaidOut } from "./columns";
import { foldsOf, type Segment } from "./folds";
import { marksOf, UNMARKED, type Marks } from "./marks";
import { identityOf, keyText } from "./values";

/** What is drawn of one item. */
export interface PlanItem extends Marks, LaidOut {
  readonly id: string;
  readonly key: string;
  /** The item itself, as it lies there. */
  readonly item: Item;
  readonly bytes: number;
  /** Its place among the marked items: outlines follow in key order. */
  readonly turn: number;
}

/** One partition. */
export interface Room {
  readonly hash: string;
  readonly name: string;
  readonly label: string;
  readonly dimension: string;
  readonly badge: string;
  readonly route: "enter" | "through" | "pass" | undefined;
  readonly segments: readonly Segment[];
  readonly leftOut: string | null;
}

/** One table. */
export interface Plan {
  readonly table: string;
  readonly index: string | null;
  readonly keyName: string;
  readonly keyWidth: KeyWidth;
  readonly columns: readonly Column[];
  /** Whether no word of a place needs to be broken. */
  readonly whole: boolean;
  readonly rooms: readonly Room[];
  readonly leftOut: string | null;
  /** Whether a request went into some room of this table. */
  readonly entered: boolean;
  /** Whether an item is marked as written. */
  readonly wrote: boolean;
  readonly examined: number;
  readonly returned: number;
}

/** The plan of a table or an index, marked with what a request did there; `written` are the items that it wrote, or
 *  their keys. An index's plan needs the names of the table's key. */
export function planOf(
  inspection: Inspection,
  accesses: readonly Access[],
  written: readonly WrittenItem[] = [],
  tableKeys: readonly string[] = [],
): Plan {
  const here = accesses.filter(
    (access) => access.table === inspection.table && access.index === inspection.index,
  );
  const keys = keyNames(inspection);
  const identity = identityNames(inspection, tableKeys);
  const items = inspection.partitions.flatMap((partition) => partition.items.map(({ item }) => item));
  const columns = columnsOf(items, keys);
  const sorts = sortNames(inspection);
  const headings = sorts.length > 0 ? sorts : partitionNames(inspection);
  const touched = touchedBy(inspection, here);
  const lastEntered = touched.findLastIndex((traced) => traced.length > 0);
  const wrote = new Set(
    here.length === 0
      ? []
      : written.filter(({ table }) => table === inspection.table).map(({ item }) => identityOf(keys, item)),
  );
  let turn = 0;
  const lines: PlanItem[] = [];
  const rooms = inspection.partitions.map((partition, place): Room => {
    const traced = touched[place] ?? [];
    const ids = partition.items.map(({ item }) => identityOf(identity, item));
    const marks = marksOf(ids, identity, traced, wrote);
    const drawn = partition.items.map((entry, index): PlanItem => {
      const mark = marks[index] ?? UNMARKED;
      return {
        id: ids[index] ?? "",
        key: headings.map((name) => keyText(entry.item[name])).join(", "),
        item: entry.item,
        ...laidOut(entry.item, keys, columns),
        bytes: entry.bytes,
        ...mark,
        turn: mark.examined || mark.returned ? turn++ : 0,
      };
    });
    lines.push(...drawn);
    return {
      hash: partition.hash,
      name: nameOf(partition),
      label: labelOf(partition, traced, inspection.index),
      dimension: `${counted(partition.itemCount, "item")}, ${bytes(partition.bytes)}`,
      badge: `#${partition.badge}`,
      route: routeOf(place, lastEntered, traced.length > 0),
      leftOut:
        partition.itemsLeftOut === 0 ? null : `${counted(partition.itemsLeftOut, "item")} more, not drawn`,
      segments: foldsOf(drawn, here.length > 0),
    };
  });
  return {
    table: inspection.table,
    index: inspection.index,
    keyName: headings.join(", "),
    keyWidth: keyWidthOf(items, headings),
    columns,
    whole: wordsFit(columns, lines),
    rooms,
    leftOut: leftOutOf(inspection),
    entered: lastEntered >= 0,
    wrote: rooms.some(({ segments }) => segments.some(({ items }) => items.some((item) => item.written))),
    examined: here.reduce((sum, access) => sum + access.examined.items, 0),
    returned: here.reduce((sum, access) => sum + access.returned.items, 0),
  };
}

function leftOutOf({ partitionsLeftOut, complete }: Inspection): string | null {
  if (partitionsLeftOut === 0 && complete) return null;
  return `${complete ? "" : "At least "}${counted(partitionsLeftOut, "partition")} more, not drawn.`;
}

/** What accesses did in each partition, in the order of the partitions. */
function touchedBy(inspection: Inspection, accesses: readonly Access[]): TracedPartition[][] {
  const traced = new Map<string, TracedPartition[]>();
  const names = Object.keys(inspection.partitions[0]?.partitionKey ?? {});
  for (const { partitions } of accesses) {
    for (const partition of partitions) {
      const id = identityOf(names, partition.partitionKey);
      const before = traced.get(id);
      if (before === undefined) traced.set(id, [partition]);
      else before.push(partition);
    }
  }
  return inspection.partitions.map(({ partitionKey }) => traced.get(identityOf(names, partitionKey)) ?? []);
}

function nameOf(room: InspectedPartition): string {
  return Object.values(room.partitionKey).map(keyText).join(", ");
}

/** An index's partition may have the name of one of its table's, beside which it is drawn. */
function labelOf(room: InspectedPartition, traced: readonly TracedPartition[], index: string | null): string {
  const name = `${index === null ? "Partition" : `${index}, partition`} ${nameOf(room)}`;
  if (traced.length === 0) return name;
  const examined = traced.flatMap(({ runs }) => runs).reduce((sum, run) => sum + run.items, 0);
  const returned = traced.reduce((sum, partition) => sum + partition.returned.length, 0);
  return `${name}: ${examined} examined, ${returned} returned`;
}

function routeOf(place: number, lastEntered: number, entered: boolean): Room["route"] {
  if (place > lastEntered) return undefined;
  if (place === lastEntered) return "enter";
  return entered ? "through" : "pass";
}
