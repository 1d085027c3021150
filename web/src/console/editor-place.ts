/** Where in its JSON an editor's cursor stands, which the syntax tree tells even of a text that is not whole. */
import type { syntaxTree } from "@codemirror/language";
import type { Place } from "../request/complete";

type Tree = ReturnType<typeof syntaxTree>;
type TreeNode = Tree["topNode"];

/** A place, and the word that is being written there. */
export interface WrittenPlace {
  readonly place: Place;
  /** Where the word begins. */
  readonly from: number;
  readonly written: string;
  /** Whether it stands in quotes. */
  readonly quoted: boolean;
}

/** The place of the cursor; nothing where no name or value can stand. */
export function placeAt(tree: Tree, text: string, position: number): WrittenPlace | null {
  const node = tree.resolveInner(position, -1);
  const inString = node.name === "String" || node.name === "PropertyName";
  const quoted =
    inString ||
    /"[^"\n]*$/.test(
      lineBefore(text, position)
        .replace(/\\"/g, "")
        .replace(/"[^"]*"/g, ""),
    );
  const writes = writesAt(text, node, position);
  if (writes === null) return null;
  const [written = ""] = /[:#]?\w*$/.exec(text.slice(0, position)) ?? [];
  return {
    place: { path: pathOf(node, text, writes), writes, there: namesBeside(node, text, position) },
    from: position - written.length,
    written,
    quoted,
  };
}

function lineBefore(text: string, position: number): string {
  return text.slice(text.lastIndexOf("\n", position - 1) + 1, position);
}

/** A name stands after { or , of an object; a value after a colon, or in a list. */
function writesAt(text: string, node: TreeNode, position: number): Place["writes"] | null {
  const start = node.name === "String" || node.name === "PropertyName" ? node.from : position;
  const before = text
    .slice(0, start)
    .replace(/"?[:#]?\w*$/, "")
    .trimEnd()
    .at(-1);
  if (before === ":") return "value";
  const owner = ownerOf(node);
  if (before === "[" || (before === "," && owner?.name === "Array")) return "value";
  return before === "{" || before === "," ? "name" : null;
}

/** The object or list that a node stands in. */
function ownerOf(node: TreeNode): TreeNode | null {
  let owner: TreeNode | null = node;
  while (owner !== null && owner.name !== "Object" && owner.name !== "Array") owner = owner.parent;
  return owner;
}

/** The names that lead to an object or value. */
function pathOf(node: TreeNode, text: string, writes: Place["writes"]): string[] {
  const path: string[] = [];
  let inner: TreeNode | null = writes === "name" ? ownerOf(node) : node;
  // A value that has not begun yet belongs to the member before the colon.
  for (; inner !== null; inner = inner.parent) {
    if (inner.name === "Property") {
      const name = inner.getChild("PropertyName");
      if (name !== null) path.unshift(nameIn(text, name));
    } else if (inner.parent?.name === "Array") path.unshift("");
  }
  return path;
}

/** The names that the object has, without the one that is being written. */
function namesBeside(node: TreeNode, text: string, position: number): string[] {
  const owner = ownerOf(node);
  if (owner?.name !== "Object") return [];
  return owner
    .getChildren("Property")
    .map((property) => property.getChild("PropertyName"))
    .filter((name) => name !== null && (name.to < position || name.from > position))
    .map((name) => (name === null ? "" : nameIn(text, name)));
}

function nameIn(text: string, { from, to }: TreeNode): string {
  return text.slice(from + 1, to - 1);
}
