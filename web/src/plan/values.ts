/** The short text of an attribute value in a plan or an answer. Keys are never shortened; long values are,
 *  by their type and size. */
import type { AttributeValue, Item } from "../contract";
import { bytes } from "../figures";

/** Texts longer than this are told by their length. */
const TEXT_CHARACTERS_MAX = 48;

/** A key attribute's text: S and N as they are, B in base64. */
export function keyText(value: AttributeValue | undefined): string {
  const [entry] = Object.entries(value ?? {});
  return entry === undefined ? "" : String(entry[1]);
}

/** A value's text, shortened by type and size when it is long. */
export function valueText(value: AttributeValue): string {
  const [entry] = Object.entries(value);
  if (entry === undefined) return "";
  const [type, content] = entry;
  switch (type) {
    case "S": {
      const text = String(content);
      if ([...text].length <= TEXT_CHARACTERS_MAX) return text;
      return `text ${bytes(new TextEncoder().encode(text).length)}`;
    }
    case "N":
      return String(content);
    case "B":
      return "binary";
    case "BOOL":
      return content === true ? "true" : "false";
    case "NULL":
      return "null";
    case "L":
      return `list of ${sizeOf(content)}`;
    case "M":
      return `map of ${sizeOf(content)}`;
    default:
      return `set of ${sizeOf(content)}`;
  }
}

/** A key, or an item's key, as a text that is the same for the same key, whatever the order of its members. */
export function identityOf(names: readonly string[], item: Item): string {
  return JSON.stringify(names.map((name) => item[name]));
}

function sizeOf(content: unknown): number {
  return Object.keys(content ?? {}).length;
}
