/** Items from a file of the reader's own: JSON, one JSON object a line, or CSV. Types are inferred from all values of
 *  an attribute; a key's type is what the table says. */
import type { AttributeValue, Item, KeyAttribute } from "../contract";
import { readCsv } from "./csv";
import { treeOf, type Node } from "./json-tree";
import { typedOf } from "./plain";

/** An item, and the line or place in its file that it came from. */
export interface FileItem {
  readonly place: string;
  readonly item: Item;
}

/** What a file gave. */
export interface FileItems {
  readonly items: readonly FileItem[];
  /** What could not be taken, by its place. */
  readonly faults: readonly { readonly place: string; readonly reason: string }[];
}

/** As many items one BatchWriteItem takes. */
export const BATCH_ITEMS_MAX = 25;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A number of more digits than this the service does not keep: such a text stays one. */
const DIGITS_MAX = 38;
const TYPES: ReadonlySet<string> = new Set(["S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"]);

/** The items of a text, for a table with these keys. */
export function itemsIn(text: string, keys: readonly KeyAttribute[]): FileItems {
  const { items, faults } = /^[\s\uFEFF]*[[{]/.test(text) ? fromJson(text, keys) : fromCsv(text, keys);
  const whole = items.filter(({ item }) => keys.every(({ name }) => item[name] !== undefined));
  const lacking = items
    .filter((each) => !whole.includes(each))
    .map(({ place, item }) => {
      const lacks = keys.filter(({ name }) => item[name] === undefined).map(({ name }) => name);
      return { place, reason: `it has no ${lacks.join(" and no ")}, which the table's key needs` };
    });
  const [kept, doubled] = withoutDoubles(whole, keys);
  return { items: kept, faults: [...faults, ...lacking, ...doubled] };
}

/** Of items with one key the first: a batch with both is refused whole. */
function withoutDoubles(
  items: readonly FileItem[],
  keys: readonly KeyAttribute[],
): [FileItem[], FileItems["faults"]] {
  const seen = new Map<string, string>();
  const kept: FileItem[] = [];
  const doubled: { place: string; reason: string }[] = [];
  for (const each of items) {
    const key = JSON.stringify(keys.map(({ name }) => each.item[name]));
    const before = seen.get(key);
    if (before !== undefined) doubled.push({ place: each.place, reason: `it has the key of ${before}` });
    else {
      seen.set(key, each.place);
      kept.push(each);
    }
  }
  return [kept, doubled];
}

function fromJson(text: string, keys: readonly KeyAttribute[]): FileItems {
  const source = text.replace(/^\uFEFF/, "");
  const whole = treeOf(source);
  const nodes: { place: string; node: Node | null }[] =
    whole === null
      ? source
          .split("\n")
          .map((line, at) => ({ place: `line ${at + 1}`, text: line.trim() }))
          .filter(({ text }) => text !== "")
          .map(({ place, text }) => ({ place, node: treeOf(text) }))
      : elementsOf(whole).map((node, at) => ({ place: `item ${at + 1}`, node }));
  const items: FileItem[] = [];
  const faults: { place: string; reason: string }[] = [];
  for (const { place, node } of nodes) {
    if (node === null) faults.push({ place, reason: "it is no JSON" });
    else if (node.kind !== "object") faults.push({ place, reason: "it is no object" });
    else items.push({ place, item: itemOf(node, keys) });
  }
  return { items, faults };
}

/** The items of a file: a list, an answer's Items, or one item. */
function elementsOf(tree: Node): readonly Node[] {
  if (tree.kind === "array") return tree.elements;
  const items = tree.kind === "object" ? tree.members.find(({ name }) => name === "Items")?.value : undefined;
  return items?.kind === "array" ? items.elements : [tree];
}

/** A JSON object is typed where each of its members is; else it is plain. */
function itemOf(node: Node & { kind: "object" }, keys: readonly KeyAttribute[]): Item {
  const members = node.members.map(({ name, value }) => [name, value] as const);
  const isTyped = members.length > 0 && members.every(([, value]) => typeOf(value) !== null);
  return Object.fromEntries(
    members.map(([name, value]) => {
      if (isTyped) return [name, JSON.parse(textOf(value)) as AttributeValue];
      const key = keys.find((each) => each.name === name);
      return [name, key === undefined ? typedOf(value) : asKey(value, key.type)];
    }),
  );
}

function typeOf(node: Node): string | null {
  const [only, ...more] = node.kind === "object" ? node.members : [];
  if (only === undefined || more.length > 0 || !TYPES.has(only.name)) return null;
  const scalar = ["S", "N", "B"].includes(only.name) && only.value.kind === "string";
  const nested = ["SS", "NS", "BS", "L"].includes(only.name) && only.value.kind === "array";
  const other = only.name === "M" ? only.value.kind === "object" : only.value.kind === "literal";
  return scalar || nested || other ? only.name : null;
}

function textOf(node: Node): string {
  return JSON.stringify(untyped(node));
}

function untyped(node: Node): unknown {
  switch (node.kind) {
    case "object":
      return Object.fromEntries(node.members.map(({ name, value }) => [name, untyped(value)]));
    case "array":
      return node.elements.map(untyped);
    case "number":
      return node.written;
    default:
      return node.value;
  }
}

function asKey(node: Node, type: string): AttributeValue {
  if (node.kind === "string") return { [type]: node.value };
  if (node.kind === "number") return { [type]: node.written };
  return typedOf(node);
}

function fromCsv(text: string, keys: readonly KeyAttribute[]): FileItems {
  const csv = readCsv(text);
  if ("fault" in csv) return { items: [], faults: [{ place: "the file", reason: csv.fault }] };
  const [heading, ...records] = csv.records;
  const names = heading?.fields.map((name) => name.trim()) ?? [];
  const types = names.map((name, column) => {
    const key = keys.find((each) => each.name === name);
    return key?.type ?? inferred(records.map(({ fields }) => fields[column] ?? ""));
  });
  const items: FileItem[] = [];
  const faults: { place: string; reason: string }[] = [];
  for (const { line, fields } of records) {
    const place = `line ${line}`;
    if (fields.length > names.length)
      faults.push({
        place,
        reason: `it has ${fields.length} fields, and the first line names ${names.length}`,
      });
    else items.push({ place, item: record(names, types, fields) });
  }
  return { items, faults };
}

/** An empty field is no attribute: a CSV can't tell an empty text from none. */
function record(names: readonly string[], types: readonly string[], fields: readonly string[]): Item {
  const entries = names.flatMap((name, column) => {
    const text = fields[column] ?? "";
    return text === "" || name === "" ? [] : [[name, valueAs(types[column] ?? "S", text)] as const];
  });
  return Object.fromEntries(entries);
}

function valueAs(type: string, text: string): AttributeValue {
  return type === "BOOL"
    ? { BOOL: text.toLowerCase() === "true" }
    : { [type]: text.trim() === "" ? text : type === "S" ? text : text.trim() };
}

/** The type that all of an attribute's texts have. */
function inferred(texts: readonly string[]): "S" | "N" | "BOOL" {
  const there = texts.filter((text) => text !== "");
  if (there.length === 0) return "S";
  if (there.every((text) => /^(?:true|false)$/i.test(text))) return "BOOL";
  const numeric = (text: string): boolean =>
    NUMBER.test(text.trim()) && text.replace(/[eE].*$/, "").replace(/\D/g, "").length <= DIGITS_MAX;
  return there.every(numeric) ? "N" : "S";
}

/** The bodies of the requests that write the items, as many as a batch takes in each. */
export function batchesOf(
  table: string,
  items: readonly FileItem[],
): { items: readonly FileItem[]; body: string }[] {
  const batches: { items: readonly FileItem[]; body: string }[] = [];
  for (let start = 0; start < items.length; start += BATCH_ITEMS_MAX) {
    const batch = items.slice(start, start + BATCH_ITEMS_MAX);
    const puts = batch.map(({ item }) => ({ PutRequest: { Item: item } }));
    batches.push({ items: batch, body: JSON.stringify({ RequestItems: { [table]: puts } }, null, 2) });
  }
  return batches;
}
