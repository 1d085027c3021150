/** The members and types of every operation, and the words no expression may use bare, as a module for the page.
 *  They are read from where the engine's own tables come from, so they cannot drift apart. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const MODULE = "virtual:service-shapes";
const ENGINE = join(import.meta.dirname, "../crates");
const MODELS = ["engine/shapes/dynamodb.json", "engine/shapes/streams.json"].map((file) =>
  join(ENGINE, file),
);
const RESERVED = join(ENGINE, "expression/src/reserved.rs");

interface Model {
  readonly operations: Record<string, { readonly input?: string; readonly output?: string }>;
  readonly shapes: Record<string, Shape>;
}
interface Shape {
  readonly type: string;
  readonly members?: Record<string, string>;
  readonly required?: readonly string[];
  readonly member?: string;
  readonly value?: string;
  readonly enum?: readonly string[];
}

/** Gives `virtual:service-shapes`. */
export function serviceShapes(): Plugin {
  return {
    name: "service-shapes",
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
    load(id) {
      if (id !== `\0${MODULE}`) return null;
      for (const file of [...MODELS, RESERVED]) this.addWatchFile(file);
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(compact()))})`;
    },
  };
}

/** Shapes numbered by their place, each no more than a checker and a completion need. */
function compact(): unknown {
  const shapes: unknown[] = [];
  const operations: Record<string, [number | null, number | null]> = {};
  for (const file of MODELS) {
    const model = JSON.parse(readFileSync(file, "utf8")) as Model;
    const places = new Map<string, number>();
    const place = (name: string): number => {
      const known = places.get(name);
      if (known !== undefined) return known;
      const number = shapes.length;
      places.set(name, number);
      shapes.push(null);
      const shape = model.shapes[name];
      if (shape === undefined) throw new Error(`${file} has no shape ${name}`);
      shapes[number] = compactShape(name, shape, place);
      return number;
    };
    for (const [name, { input, output }] of Object.entries(model.operations))
      operations[name] = [
        input === undefined ? null : place(input),
        output === undefined ? null : place(output),
      ];
  }
  const reserved = [...readFileSync(RESERVED, "utf8").matchAll(/"([A-Z]+)"/g)].map(([, word]) => word);
  return { operations, shapes, reserved: reserved.join(" ") };
}

function compactShape(name: string, shape: Shape, place: (name: string) => number): unknown {
  switch (shape.type) {
    case "structure": {
      // A value of an attribute is told apart: it has a plain form, and exactly one member.
      const members = Object.entries(shape.members ?? {}).map(([member, of]) => [member, place(of)]);
      const about = { m: Object.fromEntries(members) as unknown, r: shape.required };
      return name === "AttributeValue" ? { ...about, a: 1 } : about;
    }
    case "list":
      return { l: place(shape.member ?? "") };
    case "map":
      return { v: place(shape.value ?? "") };
    default:
      return { t: shape.type, e: shape.enum };
  }
}
