/** The members and types of requests and answers, as the service's model has them. */
import data from "virtual:service-shapes";

/** One shape. */
export type Shape =
  | {
      readonly kind: "structure";
      readonly members: ReadonlyMap<string, number>;
      readonly required: readonly string[];
      /** Whether it is an attribute value, which has a plain form. */
      readonly attribute: boolean;
    }
  | { readonly kind: "list"; readonly element: number }
  | { readonly kind: "map"; readonly value: number }
  | { readonly kind: "scalar"; readonly type: string; readonly words: readonly string[] };

const SHAPES: readonly Shape[] = data.shapes.map((shape): Shape => {
  if (shape.m !== undefined)
    return {
      kind: "structure",
      members: new Map(Object.entries(shape.m)),
      required: shape.r ?? [],
      attribute: shape.a !== undefined,
    };
  if (shape.l !== undefined) return { kind: "list", element: shape.l };
  if (shape.v !== undefined) return { kind: "map", value: shape.v };
  return { kind: "scalar", type: shape.t ?? "string", words: shape.e ?? [] };
});

const RESERVED: ReadonlySet<string> = new Set(data.reserved.split(" "));

/** The operations that the service's model has. */
export const OPERATIONS: readonly string[] = Object.keys(data.operations);

/** The shape of an operation's request. */
export function inputOf(operation: string): Shape | null {
  return shapeAt(data.operations[operation]?.[0]);
}

/** The shape of an operation's answer. */
export function outputOf(operation: string): Shape | null {
  return shapeAt(data.operations[operation]?.[1]);
}

/** The shape of what is inside: a structure's member, a list's element, a map's value. */
export function within(shape: Shape | null, name: string): Shape | null {
  switch (shape?.kind) {
    case "structure":
      return shapeAt(shape.members.get(name));
    case "list":
      return shapeAt(shape.element);
    case "map":
      return shapeAt(shape.value);
    default:
      return null;
  }
}

/** Whether no expression may use the word without a name that begins with `#`. */
export function isReserved(word: string): boolean {
  return RESERVED.has(word.toUpperCase());
}

function shapeAt(place: number | null | undefined): Shape | null {
  return place === null || place === undefined ? null : (SHAPES[place] ?? null);
}
