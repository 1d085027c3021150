/** The shorthand syntax of the AWS CLI, such as `AttributeName=pk,AttributeType=S`: text, lists and maps, whose types
 *  the operation's shapes then say. */
import { CommandFault } from "./shell";

/** A shorthand value: text, or lists and maps of such. */
export type Shorthand = string | readonly Shorthand[] | { readonly [key: string]: Shorthand };

/** Deeper than this no shape of the service goes. */
const DEPTH_MAX = 50;

/** Reads pairs such as `a=1,b=[x,y],c={d=e}`. */
export function shorthandOf(text: string): Shorthand {
  const reader = new Reader(text);
  const pairs = reader.pairs("", 0);
  reader.end();
  return pairs;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  end(): void {
    if (this.#at < this.#text.length) this.#fault("the end");
  }

  pairs(close: string, depth: number): Shorthand {
    const pairs: [string, Shorthand][] = [];
    this.#space();
    while (close === "" || this.#next !== close) {
      pairs.push(this.#pair(close, depth));
      this.#space();
      if (!this.#take(",")) break;
      this.#space();
    }
    return Object.fromEntries(pairs) as Record<string, Shorthand>;
  }

  #pair(close: string, depth: number): [string, Shorthand] {
    const key = this.#word(/[^=,\]}\s]+/y);
    this.#space();
    if (key === "" || !this.#take("=")) this.#fault("a name and =");
    const first = this.#value(depth + 1);
    // Words without a name after a value make a list of it: `a=1,2,b=3`.
    const list = [first];
    while (this.#next === "," && !/^,\s*[^=,\s{}[\]"']+\s*=/.test(this.#text.slice(this.#at))) {
      const before = this.#at;
      this.#at += 1;
      this.#space();
      const sign: string = this.#next;
      if (sign === "" || sign === close) {
        this.#at = before;
        break;
      }
      list.push(this.#value(depth + 1));
    }
    return [key, list.length === 1 ? first : list];
  }

  #value(depth: number): Shorthand {
    if (depth > DEPTH_MAX) this.#fault("a value that is less deep");
    this.#space();
    if (this.#take("{")) {
      const pairs = this.pairs("}", depth);
      if (!this.#take("}")) this.#fault("}");
      return pairs;
    }
    if (this.#take("[")) {
      const elements: Shorthand[] = [];
      this.#space();
      while (this.#next !== "]" && this.#next !== "") {
        elements.push(this.#value(depth + 1));
        this.#space();
        if (!this.#take(",")) break;
        this.#space();
      }
      if (!this.#take("]")) this.#fault("]");
      return elements;
    }
    for (const quote of ["'", '"']) if (this.#next === quote) return this.#quoted(quote);
    return this.#word(/(?:\\.|[^,\]}])*/y)
      .replace(/\\(.)/g, "$1")
      .trimEnd();
  }

  #quoted(quote: string): string {
    this.#at += 1;
    const text = this.#word(quote === "'" ? /(?:\\.|[^'])*/y : /(?:\\.|[^"])*/y);
    if (!this.#take(quote)) this.#fault(`a closing ${quote}`);
    return text.replace(/\\(.)/g, "$1");
  }

  get #next(): string {
    return this.#text.charAt(this.#at);
  }

  #space(): void {
    this.#word(/\s*/y);
  }

  #take(sign: string): boolean {
    if (this.#next !== sign || sign === "") return false;
    this.#at += 1;
    return true;
  }

  #word(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #fault(expected: string): never {
    const there =
      this.#next === "" ? "the text ends" : `${this.#text.slice(this.#at, this.#at + 12)} stands there`;
    throw new CommandFault(`In ${this.#text}: ${expected} is expected, and ${there}.`);
  }
}
