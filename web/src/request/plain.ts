/** Plain and typed JSON. Plain JSON has text, numbers, truth, null, lists and maps as they are; what it has no form
 *  for (sets, binary, numbers that a browser would round) stays typed, as `{ "SS": ["a"] }`. A map that looks like
 *  such a value is typed too, so that both ways together change nothing. */
import type { AttributeValue } from "../contract";
import { treeOf, valueOf, type Node } from "./json-tree";
import { inputOf, outputOf, within, type Shape } from "./shapes";

/** Types that keep their type in plain JSON. */
const KEPT: ReadonlySet<string> = new Set(["N", "B", "SS", "NS", "BS", "M"]);

/** A typed value in plain JSON. */
export function plainOf(value: unknown): unknown {
  const entry = soleMember(value);
  if (entry === null) return value;
  const [type, content] = entry;
  switch (type) {
    case "S":
      return typeof content === "string" ? content : value;
    case "N":
      return typeof content === "string" && String(Number(content)) === content ? Number(content) : value;
    case "BOOL":
      return typeof content === "boolean" ? content : value;
    case "NULL":
      return content === true ? null : value;
    case "L":
      return Array.isArray(content) ? content.map(plainOf) : value;
    case "M":
      return typeof content === "object" && content !== null && !looksTyped(content)
        ? plainMap(content)
        : value;
    default:
      return value;
  }
}

/** An item, or another map of typed values, in plain JSON. */
export function plainMap(map: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, plainOf(value)]));
}

/** A plain value in typed JSON. */
export function typedOf(plain: Node): AttributeValue {
  switch (plain.kind) {
    case "string":
      return { S: plain.value };
    case "number":
      return { N: plain.written };
    case "literal":
      return plain.value === null ? { NULL: true } : { BOOL: plain.value };
    case "array":
      return { L: plain.elements.map(typedOf) };
    case "object": {
      const kept = keptValue(plain);
      if (kept !== null) return kept;
      return { M: Object.fromEntries(plain.members.map(({ name, value }) => [name, typedOf(value)])) };
    }
  }
}

/** An item's plain text in typed JSON; nothing where it is no JSON object. */
export function typedItem(text: string): Record<string, AttributeValue> | null {
  const tree = treeOf(text);
  if (tree?.kind !== "object") return null;
  return Object.fromEntries(tree.members.map(({ name, value }) => [name, typedOf(value)]));
}

/** A request's body with every attribute value in plain JSON. */
export function plainBody(operation: string, body: unknown): unknown {
  return plainWithin(inputOf(operation), body);
}

/** An answer with every attribute value in plain JSON. */
export function plainAnswer(operation: string, answer: unknown): unknown {
  return plainWithin(outputOf(operation), answer);
}

/** A request's plain body in typed JSON; nothing where it is no JSON. */
export function typedBody(operation: string, text: string): unknown {
  const tree = treeOf(text);
  return tree === null ? null : typedWithin(inputOf(operation), tree);
}

function plainWithin(shape: Shape | null, value: unknown): unknown {
  if (shape?.kind === "structure" && shape.attribute) return plainOf(value);
  if (Array.isArray(value)) return value.map((element) => plainWithin(within(shape, ""), element));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, plainWithin(within(shape, name), member)]),
  );
}

function typedWithin(shape: Shape | null, node: Node): unknown {
  if (shape?.kind === "structure" && shape.attribute) return typedOf(node);
  switch (node.kind) {
    case "array":
      return node.elements.map((element) => typedWithin(within(shape, ""), element));
    case "object":
      return Object.fromEntries(
        node.members.map(({ name, value }) => [name, typedWithin(within(shape, name), value)]),
      );
    case "number":
      return Number(node.written);
    default:
      return node.value;
  }
}

/** What a plain object says that is a typed value: one member, with a kept type's name and content. */
function keptValue(node: Node & { kind: "object" }): AttributeValue | null {
  const [only, ...more] = node.members;
  if (only === undefined || more.length > 0) return null;
  const content = valueOf(only.value);
  return isKept(only.name, content) ? { [only.name]: content } : null;
}

function isKept(type: string, content: unknown): boolean {
  if (!KEPT.has(type)) return false;
  if (type === "N" || type === "B") return typeof content === "string";
  if (type === "M") return typeof content === "object" && content !== null && !Array.isArray(content);
  return Array.isArray(content) && content.every((element) => typeof element === "string");
}

/** Whether a map, written plainly, would be taken for a typed value. */
function looksTyped(map: object): boolean {
  const entry = soleMember(map);
  return entry !== null && isKept(entry[0], plainOf(entry[1]));
}

function soleMember(value: unknown): [string, unknown] | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const [only, ...more] = Object.entries(value);
  return only === undefined || more.length > 0 ? null : only;
}
