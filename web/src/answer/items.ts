/** The items of an answer: key attributes first, then the attributes of the commonest shape. */
import type { Item } from "../contract";
import { columnsOf, keyWidthOf, laidOut, type Column, type KeyWidth, type LaidOut } from "../plan/columns";
import { keyText } from "../plan/values";

/** Items by attribute. */
export interface ItemTable {
  readonly keys: readonly { readonly name: string; readonly width: KeyWidth }[];
  readonly columns: readonly Column[];
  readonly lines: readonly (LaidOut & { readonly keyTexts: readonly string[] })[];
}

/** The items an answer holds: Items, Item, Attributes or Responses; none where it holds other things. */
export function itemsOf(answer: object | null): readonly Item[] | null {
  const { Items, Item, Attributes, Responses } = (answer ?? {}) as {
    Items?: Item[];
    Item?: Item;
    Attributes?: Item;
    Responses?: Readonly<Record<string, Item[]>> | readonly { readonly Item?: Item }[];
  };
  if (Items !== undefined) return Items;
  // A batch's answer lists items by table, a transaction's in the order of its gets.
  if (Array.isArray(Responses))
    return (Responses as readonly { readonly Item?: Item }[]).flatMap((each) =>
      each.Item === undefined ? [] : [each.Item],
    );
  if (Responses !== undefined) return Object.values(Responses as Readonly<Record<string, Item[]>>).flat();
  const single = Item ?? Attributes;
  return single === undefined ? null : [single];
}

/** The table of some items; of the table's keys those that occur, which a projection may have left out. */
export function itemTable(items: readonly Item[], tableKeys: readonly string[]): ItemTable {
  const keys = tableKeys.filter((key) => items.some((item) => item[key] !== undefined));
  const columns = columnsOf(items, keys);
  const lines = items.map((item) => ({
    keyTexts: keys.map((key) => keyText(item[key])),
    ...laidOut(item, keys, columns),
  }));
  return { keys: keys.map((name) => ({ name, width: keyWidthOf(items, [name]) })), columns, lines };
}
