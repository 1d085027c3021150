/** Which attributes get a place of their own in the plan. Items of one table differ in shape: the commonest
 *  shape gets the places, an item of another shape writes its attributes out as pairs. */
import type { Inspection, Item } from "../contract";
import { keyText } from "./values";

/** Above this many, every item writes its attributes out as pairs. */
const COLUMNS_MAX = 5;

/** One attribute's place. */
export interface Column {
  readonly name: string;
  readonly numeric: boolean;
}

/** How wide the sort key's place must be. */
export type KeyWidth = "s" | "m" | "l";

/** The key attributes' names, partition key first. */
export function keyNames(inspection: Inspection): string[] {
  const { partition, sort } = inspection.key;
  return sort === undefined ? [partition.name] : [partition.name, sort.name];
}

/** The attributes of the commonest shape, by name. */
export function columnsOf(inspection: Inspection): Column[] {
  const keys = keyNames(inspection);
  const items = inspection.partitions.flatMap((partition) => partition.items.map(({ item }) => item));
  const counts = new Map<string, { names: string[]; count: number }>();
  for (const item of items) {
    const names = attributeNames(item, keys);
    const shape = JSON.stringify(names);
    const seen = counts.get(shape);
    if (seen === undefined) counts.set(shape, { names, count: 1 });
    else seen.count += 1;
  }
  let commonest: { names: string[]; count: number } = { names: [], count: 0 };
  for (const shape of counts.values()) if (shape.count > commonest.count) commonest = shape;
  if (commonest.names.length > COLUMNS_MAX) return [];
  return commonest.names.map((name) => ({
    name,
    numeric: items.every((item) => item[name] === undefined || "N" in item[name]),
  }));
}

/** An item's attributes that are no key, by name. */
export function attributeNames(item: Item, keys: readonly string[]): string[] {
  return Object.keys(item)
    .filter((name) => !keys.includes(name))
    .sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
}

/** The sort key's place, by its longest text; without a sort key, the partition key's. */
export function keyWidthOf(inspection: Inspection): KeyWidth {
  const name = (inspection.key.sort ?? inspection.key.partition).name;
  let longest = 0;
  for (const partition of inspection.partitions)
    for (const { item } of partition.items) longest = Math.max(longest, [...keyText(item[name])].length);
  return longest <= 10 ? "s" : longest <= 22 ? "m" : "l";
}
