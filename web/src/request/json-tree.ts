/** JSON with places: where each member and value stands in its text, and numbers as they were written. */

/** A value and where it stands. */
export type Node = { readonly from: number; readonly to: number } & (
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "array"; readonly elements: readonly Node[] }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "number"; readonly written: string }
  | { readonly kind: "literal"; readonly value: boolean | null }
);

/** One member of an object. */
export interface Member {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly value: Node;
}

/** Deeper than this no request of the service goes; the engine says so in its own words. */
const DEPTH_MAX = 200;

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** The tree of a text; nothing of a text that is no JSON. */
export function treeOf(text: string): Node | null {
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return null;
    at = pattern.lastIndex;
    return found[0];
  };
  const sign = (expected: string): boolean => {
    take(SPACE);
    if (text.charAt(at) !== expected) return false;
    at += 1;
    return true;
  };
  const value = (depth: number): Node | null => {
    take(SPACE);
    const from = at;
    if (depth > DEPTH_MAX) return null;
    if (sign("{")) {
      const members: Member[] = [];
      if (sign("}")) return { kind: "object", from, to: at, members };
      do {
        take(SPACE);
        const start = at;
        const name = take(STRING);
        const end = at;
        if (name === null || !sign(":")) return null;
        const of = value(depth + 1);
        if (of === null) return null;
        members.push({ name: JSON.parse(name) as string, from: start, to: end, value: of });
      } while (sign(","));
      return sign("}") ? { kind: "object", from, to: at, members } : null;
    }
    if (sign("[")) {
      const elements: Node[] = [];
      if (sign("]")) return { kind: "array", from, to: at, elements };
      do {
        const element = value(depth + 1);
        if (element === null) return null;
        elements.push(element);
      } while (sign(","));
      return sign("]") ? { kind: "array", from, to: at, elements } : null;
    }
    const string = take(STRING);
    if (string !== null) return { kind: "string", from, to: at, value: JSON.parse(string) as string };
    const written = take(NUMBER);
    if (written !== null) return { kind: "number", from, to: at, written };
    const word = take(WORD);
    if (word !== null) return { kind: "literal", from, to: at, value: JSON.parse(word) as boolean | null };
    return null;
  };
  const tree = value(0);
  take(SPACE);
  return at === text.length ? tree : null;
}

/** The value of an object's member; of two with one name the last, as JSON.parse has it. */
export function memberOf(node: Node | null | undefined, name: string): Node | null {
  if (node?.kind !== "object") return null;
  return node.members.findLast((member) => member.name === name)?.value ?? null;
}

/** What a tree says, as JSON.parse would. */
export function valueOf(node: Node): unknown {
  switch (node.kind) {
    case "object":
      return Object.fromEntries(node.members.map(({ name, value }) => [name, valueOf(value)]));
    case "array":
      return node.elements.map(valueOf);
    case "number":
      return Number(node.written);
    default:
      return node.value;
  }
}
