/** A typed value as a text in a field, and back. */
import type { AttributeValue } from "../contract";
import { treeOf } from "./json-tree";
import { plainOf, typedOf } from "./plain";

/** Types in the order a field offers them. */
export const TYPES = ["S", "N", "BOOL", "NULL", "L", "M", "SS", "NS", "B", "BS"] as const;

/** The type of a value; S where it has none. */
export function typeOf(value: AttributeValue | undefined): string {
  return Object.keys(value ?? {})[0] ?? "S";
}

/** The text that stands for a value in a field. */
export function textOf(value: AttributeValue | undefined): string {
  const [entry] = Object.entries(value ?? {});
  if (entry === undefined) return "";
  const [type, content] = entry;
  if (type === "NULL") return "";
  if (["SS", "NS", "BS"].includes(type)) return Array.isArray(content) ? content.join("\n") : "";
  if (type === "L" || type === "M") {
    const plain = plainOf(value);
    // A map that looks like a typed value stays typed: as the content of a map its own members stand alone.
    return JSON.stringify(plain === value ? plainOf({ L: [value] }) : plain);
  }
  return String(content);
}

/** The value that a text stands for as a type; nothing where it stands for none. */
export function valueFrom(type: string, text: string): AttributeValue | null {
  switch (type) {
    case "BOOL":
      return { BOOL: text.trim().toLowerCase() === "true" };
    case "NULL":
      return { NULL: true };
    case "SS":
    case "NS":
    case "BS": {
      const elements = text.split("\n").filter((element) => element !== "");
      return { [type]: elements };
    }
    case "L":
    case "M": {
      const tree = treeOf(text.trim() === "" ? (type === "L" ? "[]" : "{}") : text);
      const value = tree === null ? null : typedOf(tree);
      return value !== null && type in value ? value : null;
    }
    default:
      return { [type]: text };
  }
}
