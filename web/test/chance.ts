/** Chance for property tests: the same values at every run, which a failure's message names. */
import type { AttributeValue } from "../src/contract";

/** A source of random numbers below a bound. */
export type Chance = (bound: number) => number;

/** A source that begins with a seed (mulberry32). */
export function chance(seed: number): Chance {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

const LETTERS = [
  "a",
  "N",
  "SS",
  "M",
  '"',
  "\\",
  "\n",
  ",",
  "'",
  " ",
  "ü",
  "😀",
  "$",
  "{",
  "}",
  ";",
  "=",
  ":",
];

/** A text of letters that are awkward somewhere. */
export function textFrom(draw: Chance): string {
  return Array.from({ length: draw(5) }, () => LETTERS[draw(LETTERS.length)]).join("");
}

/** A typed value, lists and maps not deeper than `depth`. */
export function valueFrom(draw: Chance, depth = 3): AttributeValue {
  const numbers = ["0", "-1", "1.50", "1e400", "12345678901234567890", "-0", "0.1"];
  const names = ["a", "N", "B", "SS", "M", "L", "S", "long name", "ü"];
  switch (draw(depth === 0 ? 7 : 9)) {
    case 0:
      return { S: textFrom(draw) };
    case 1:
      return { N: numbers[draw(numbers.length)] };
    case 2:
      return { BOOL: draw(2) === 0 };
    case 3:
      return { NULL: true };
    case 4:
      return { SS: [textFrom(draw), "x"] };
    case 5:
      return { NS: ["1", "2.0"] };
    case 6:
      return { B: "AAE=" };
    case 7:
      return { L: Array.from({ length: draw(3) }, () => valueFrom(draw, depth - 1)) };
    default:
      return {
        M: Object.fromEntries(
          Array.from({ length: draw(3) }, () => [names[draw(names.length)], valueFrom(draw, depth - 1)]),
        ),
      };
  }
}
