/** Which attributes get a place of their own in a plan or an answer. Items of one table differ in shape: the commonest
 *  shape gets the places, an item of another shape writes its attributes out as pairs. */
import type { Inspection, Item } from "../contract";
import { keyText, valueText } from "./values";

/** Above this many, every item writes its attributes out as pairs. */
const COLUMNS_MAX = 5;

/** Up to this many letters, the longest words of all places stand beside each other in the narrowest plan. */
const WORDS_MAX = 24;

/** One attribute's place. */
export interface Column {
  readonly name: string;
  readonly numeric: boolean;
}

/** How wide a key attribute's place must be. */
export type KeyWidth = "s" | "m" | "l";

/** The key attributes' names, partition key first. */
export function keyNames(inspection: Inspection): string[] {
  return [...partitionNames(inspection), ...sortNames(inspection)];
}

/** The names of the partition key's attributes. */
export function partitionNames({ key }: Inspection): string[] {
  return [key.partition, ...(key.morePartition ?? [])].map(({ name }) => name);
}

/** The names of the sort key's attributes, if it has any. */
export function sortNames({ key }: Inspection): string[] {
  return key.sort === undefined ? [] : [key.sort, ...(key.moreSort ?? [])].map(({ name }) => name);
}

/** The attributes that tell items apart: the key; an index's entries have the table's beside their own. */
export function identityNames(inspection: Inspection, tableKeys: readonly string[]): string[] {
  return [...new Set([...keyNames(inspection), ...tableKeys])];
}

/** The attributes of the commonest shape, by name; keys are none of them. */
export function columnsOf(items: readonly Item[], keys: readonly string[]): Column[] {
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

/** An item's attributes that are no key: one text a column, or pairs where the item has another shape. */
export interface LaidOut {
  readonly cells: readonly string[] | null;
  readonly pairs: readonly { readonly name: string; readonly text: string }[];
}

/** Puts an item's attributes in their places. */
export function laidOut(item: Item, keys: readonly string[], columns: readonly Column[]): LaidOut {
  const names = attributeNames(item, keys);
  const fits = columns.length > 0 && names.every((name) => columns.some((column) => column.name === name));
  const textOf = (name: string): string => (item[name] === undefined ? "" : valueText(item[name]));
  return {
    cells: fits ? columns.map((column) => textOf(column.name)) : null,
    pairs: fits ? [] : names.map((name) => ({ name, text: textOf(name) })),
  };
}

/** Whether the places' longest words stand beside each other, so that none needs to be broken. */
export function wordsFit(columns: readonly Column[], lines: readonly Pick<LaidOut, "cells">[]): boolean {
  const longest = columns.map(({ name }) => longestWord(name));
  for (const { cells } of lines)
    cells?.forEach((text, place) => (longest[place] = Math.max(longest[place] ?? 0, longestWord(text))));
  return longest.reduce((sum, letters) => sum + letters, 0) <= WORDS_MAX;
}

function longestWord(text: string): number {
  return Math.max(...text.split(/\s+/u).map((word) => [...word].length));
}

function attributeNames(item: Item, keys: readonly string[]): string[] {
  return Object.keys(item)
    .filter((name) => !keys.includes(name))
    .sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
}

/** The place of a key's attributes, by their longest text. */
export function keyWidthOf(items: readonly Item[], names: readonly string[]): KeyWidth {
  let longest = 0;
  for (const item of items) {
    const texts = names.map((name) => [...keyText(item[name])].length);
    longest = Math.max(
      longest,
      texts.reduce((sum, letters) => sum + letters + 2, -2),
    );
  }
  return longest <= 10 ? "s" : longest <= 22 ? "m" : "l";
}
