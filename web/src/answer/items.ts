/** The items of an answer as a table: every attribute that occurs has its place. */
import type { Item } from "../contract";
import { valueText } from "../plan/values";

/** Items by attribute. */
export interface ItemTable {
  readonly names: readonly string[];
  readonly numeric: readonly boolean[];
  readonly lines: readonly (readonly string[])[];
}

/** The items an answer holds: Items, Item or Attributes; none where it holds other things. */
export function itemsOf(text: string): readonly Item[] | null {
  const answer = JSON.parse(text) as { Items?: Item[]; Item?: Item; Attributes?: Item; Count?: number };
  if (answer.Items !== undefined) return answer.Items;
  const single = answer.Item ?? answer.Attributes;
  return single === undefined ? null : [single];
}

/** The table of some items, key attributes first. */
export function itemTable(items: readonly Item[], keys: readonly string[]): ItemTable {
  const all = new Set(items.flatMap((item) => Object.keys(item)));
  const names = [...keys.filter((key) => all.delete(key)), ...all];
  return {
    names,
    numeric: names.map((name) => items.every((item) => item[name] === undefined || "N" in item[name])),
    lines: items.map((item) => names.map((name) => (item[name] === undefined ? "" : valueText(item[name])))),
  };
}
