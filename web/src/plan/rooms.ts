/** The plan as data: partitions as rooms in the order a Scan meets them, items in key order, and on each what
 *  the last request did to it. Rust renders the same plan before the first request (crates/site, plan.rs). */
import type { Access, InspectedPartition, Inspection, Item } from "../contract";
import { bytes, counted } from "../figures";
import { attributeNames, columnsOf, keyNames, keyWidthOf, type Column, type KeyWidth } from "./columns";
import { foldsOf, type Segment } from "./folds";
import { marksOf, UNMARKED, type Marks, type Traced } from "./marks";
import { identityOf, keyText, valueText } from "./values";

/** What is drawn of one item. */
export interface PlanItem extends Marks {
  readonly id: string;
  readonly key: string;
  /** One text a column, or nothing where the item has another shape. */
  readonly cells: readonly string[] | null;
  readonly pairs: readonly { readonly name: string; readonly text: string }[];
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
  readonly keyName: string;
  readonly keyWidth: KeyWidth;
  readonly columns: readonly Column[];
  readonly rooms: readonly Room[];
  readonly leftOut: string | null;
  /** Whether a request went into some room of this table. */
  readonly entered: boolean;
  readonly examined: number;
  readonly returned: number;
}

/** The plan of a table, marked with what a request did there. */
export function planOf(inspection: Inspection, accesses: readonly Access[]): Plan {
  const here = accesses.filter((access) => access.table === inspection.table && access.index === null);
  const keys = keyNames(inspection);
  const columns = columnsOf(inspection);
  const touched = touchedBy(inspection, here);
  const lastEntered = touched.findLastIndex((traced) => traced.length > 0);
  let turn = 0;
  const rooms = inspection.partitions.map((partition, place): Room => {
    const traced = touched[place] ?? [];
    const ids = partition.items.map(({ item }) => identityOf(keys, item));
    const marks = marksOf(ids, keys, traced);
    const items = partition.items.map((entry, index): PlanItem => {
      const mark = marks[index] ?? UNMARKED;
      return {
        id: ids[index] ?? "",
        ...drawn(entry, keys, columns),
        ...mark,
        turn: mark.examined || mark.returned ? turn++ : 0,
      };
    });
    return {
      hash: partition.hash,
      name: nameOf(partition),
      label: labelOf(partition, traced),
      dimension: `${counted(partition.itemCount, "item")}, ${bytes(partition.bytes)}`,
      badge: `#${partition.badge}`,
      route: routeOf(place, lastEntered, traced.length > 0),
      leftOut:
        partition.itemsLeftOut === 0 ? null : `${counted(partition.itemsLeftOut, "item")} more, not drawn`,
      segments: foldsOf(items, here.length > 0),
    };
  });
  return {
    table: inspection.table,
    keyName: keys[keys.length - 1] ?? "",
    keyWidth: keyWidthOf(inspection),
    columns,
    rooms,
    leftOut: leftOutOf(inspection),
    entered: lastEntered >= 0,
    examined: here.reduce((sum, access) => sum + access.examined.items, 0),
    returned: here.reduce((sum, access) => sum + access.returned.items, 0),
  };
}

function leftOutOf({ partitionsLeftOut, complete }: Inspection): string | null {
  if (partitionsLeftOut === 0 && complete) return null;
  return `${complete ? "" : "At least "}${counted(partitionsLeftOut, "partition")} more, not drawn.`;
}

/** What accesses did in each partition, in the order of the partitions. */
function touchedBy(inspection: Inspection, accesses: readonly Access[]): Traced[][] {
  const traced = new Map<string, Traced[]>();
  const names = Object.keys(inspection.partitions[0]?.partitionKey ?? {});
  for (const { kind, partitions } of accesses) {
    for (const partition of partitions) {
      const id = identityOf(names, partition.partitionKey);
      const before = traced.get(id);
      if (before === undefined) traced.set(id, [{ kind, partition }]);
      else before.push({ kind, partition });
    }
  }
  return inspection.partitions.map(({ partitionKey }) => traced.get(identityOf(names, partitionKey)) ?? []);
}

function drawn(
  entry: { readonly bytes: number; readonly item: Item },
  keys: readonly string[],
  columns: readonly Column[],
): Pick<PlanItem, "key" | "cells" | "pairs" | "bytes"> {
  const { item } = entry;
  const names = attributeNames(item, keys);
  const fits = columns.length > 0 && names.every((name) => columns.some((column) => column.name === name));
  const textOf = (name: string): string => (item[name] === undefined ? "" : valueText(item[name]));
  return {
    key: keyText(item[keys[keys.length - 1] ?? ""]),
    cells: fits ? columns.map((column) => textOf(column.name)) : null,
    pairs: fits ? [] : names.map((name) => ({ name, text: textOf(name) })),
    bytes: entry.bytes,
  };
}

function nameOf(room: InspectedPartition): string {
  return Object.values(room.partitionKey).map(keyText).join(", ");
}

function labelOf(room: InspectedPartition, traced: readonly Traced[]): string {
  const name = `Partition ${nameOf(room)}`;
  const reads = traced.filter(({ kind }) => kind === "read");
  if (reads.length === 0) return name;
  const examined = reads.flatMap(({ partition }) => partition.runs).reduce((sum, run) => sum + run.items, 0);
  const returned = reads.reduce((sum, { partition }) => sum + partition.returned.length, 0);
  return `${name}: ${examined} examined, ${returned} returned`;
}

function routeOf(place: number, lastEntered: number, entered: boolean): Room["route"] {
  if (place > lastEntered) return undefined;
  if (place === lastEntered) return "enter";
  return entered ? "through" : "pass";
}
