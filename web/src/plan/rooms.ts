/** The plan as data: partitions as rooms in the order a Scan meets them, items in key order, and on each what
 *  the last request did to it. Rust renders the same plan before the first request (crates/site, plan.rs). */
import type { Access, InspectedPartition, Inspection, Item, TracedPartition } from "../contract";
import { bytes, counted } from "../figures";
import { attributeNames, columnsOf, keyNames, keyWidthOf, type Column, type KeyWidth } from "./columns";
import { foldsOf, type Segment } from "./folds";
import { keyText, sameKey, valueText } from "./values";

/** What is drawn of one item. */
export interface PlanItem {
  readonly id: string;
  readonly key: string;
  /** One text a column, or nothing where the item has another shape. */
  readonly cells: readonly string[] | null;
  readonly pairs: readonly { readonly name: string; readonly text: string }[];
  readonly bytes: number;
  readonly examined: boolean;
  readonly returned: boolean;
  readonly written: boolean;
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
  const lastEntered = inspection.partitions.findLastIndex((room) => tracedIn(room, here).length > 0);
  let turn = 0;
  const rooms = inspection.partitions.map((partition, place): Room => {
    const traced = tracedIn(partition, here);
    const items = partition.items.map((entry, index): PlanItem => {
      const marks = marksOf(partition, index, traced, keys);
      return {
        ...drawn(entry, keys, columns),
        ...marks,
        turn: marks.examined || marks.returned ? turn++ : 0,
      };
    });
    return {
      hash: partition.hash,
      name: keyText(partition.partitionKey[inspection.key.partition.name]),
      label: labelOf(inspection, partition, traced),
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

interface TracedHere {
  readonly kind: Access["kind"];
  readonly partition: TracedPartition;
}

function tracedIn(room: InspectedPartition, accesses: readonly Access[]): TracedHere[] {
  const names = Object.keys(room.partitionKey);
  return accesses.flatMap(({ kind, partitions }) =>
    partitions
      .filter((partition) => sameKey(names, partition.partitionKey, room.partitionKey))
      .map((partition) => ({ kind, partition })),
  );
}

function marksOf(
  room: InspectedPartition,
  index: number,
  traced: readonly TracedHere[],
  keys: readonly string[],
): Pick<PlanItem, "examined" | "returned" | "written"> {
  const item = room.items[index]?.item ?? {};
  const inRun = ({ partition }: TracedHere): boolean =>
    partition.runs.some((run) => {
      const ends = [placeOf(room, run.first, keys), placeOf(room, run.last, keys)];
      return !ends.includes(-1) && index >= Math.min(...ends) && index <= Math.max(...ends);
    });
  return {
    examined: traced.some((here) => here.kind === "read" && inRun(here)),
    returned: traced.some(
      ({ kind, partition }) => kind === "read" && partition.returned.some((key) => sameKey(keys, key, item)),
    ),
    written: traced.some((here) => here.kind === "write" && inRun(here)),
  };
}

function placeOf(room: InspectedPartition, key: Item, keys: readonly string[]): number {
  return room.items.findIndex(({ item }) => sameKey(keys, item, key));
}

function drawn(
  entry: { readonly bytes: number; readonly item: Item },
  keys: readonly string[],
  columns: readonly Column[],
): Pick<PlanItem, "id" | "key" | "cells" | "pairs" | "bytes"> {
  const { item } = entry;
  const names = attributeNames(item, keys);
  const fits = columns.length > 0 && names.every((name) => columns.some((column) => column.name === name));
  const textOf = (name: string): string => (item[name] === undefined ? "" : valueText(item[name]));
  return {
    id: JSON.stringify(keys.map((name) => item[name])),
    key: keyText(item[keys[keys.length - 1] ?? ""]),
    cells: fits ? columns.map((column) => textOf(column.name)) : null,
    pairs: fits ? [] : names.map((name) => ({ name, text: textOf(name) })),
    bytes: entry.bytes,
  };
}

function labelOf(inspection: Inspection, room: InspectedPartition, traced: readonly TracedHere[]): string {
  const name = `Partition ${keyText(room.partitionKey[inspection.key.partition.name])}`;
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
