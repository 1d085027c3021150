/** Where a text stops being JSON, in plain words. Browsers word this each in their own way, some without a line. */

/** The first place at which a text is no JSON. */
export interface JsonFault {
  readonly line: number;
  /** What should stand there. */
  readonly expected: string;
  /** What stands there; nothing where the text ends. */
  readonly found: string;
}

type Wanted =
  "a value" | "a value or ]" | "a name in quotes" | "a name in quotes or }" | ":" | ", or close" | "the end";

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** Says where a text stops being JSON; nothing of a text that is JSON. */
export function faultIn(text: string): JsonFault | null {
  const open: ("}" | "]")[] = [];
  let wanted: Wanted = "a value";
  let at = 0;
  /** How far a pattern reaches from here; nothing where it does not fit. */
  const reach = (pattern: RegExp): number | null => {
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : null;
  };
  const afterValue = (): Wanted => (open.length === 0 ? "the end" : ", or close");
  for (;;) {
    at = reach(SPACE) ?? at;
    const sign = text.charAt(at);
    const close = open.at(-1);
    if (sign === "") return wanted === "the end" ? null : faultAt(text, at, wanted, close);
    const closes =
      sign === close &&
      (wanted === ", or close" || wanted === "a value or ]" || wanted === "a name in quotes or }");
    if (closes) {
      open.pop();
      wanted = afterValue();
      at += 1;
    } else if (wanted === ":" && sign === ":") {
      wanted = "a value";
      at += 1;
    } else if (wanted === ", or close" && sign === ",") {
      wanted = close === "}" ? "a name in quotes" : "a value";
      at += 1;
    } else if (wanted === "a name in quotes" || wanted === "a name in quotes or }") {
      const end = reach(STRING);
      if (end === null) return faultAt(text, at, wanted, close);
      wanted = ":";
      at = end;
    } else if (wanted === "a value" || wanted === "a value or ]") {
      if (sign === "{" || sign === "[") {
        open.push(sign === "{" ? "}" : "]");
        wanted = sign === "{" ? "a name in quotes or }" : "a value or ]";
        at += 1;
        continue;
      }
      const end = reach(STRING) ?? reach(SCALAR);
      if (end === null) return faultAt(text, at, wanted, close);
      wanted = afterValue();
      at = end;
    } else return faultAt(text, at, wanted, close);
  }
}

/** The fault as a sentence: `Line 2: a value is expected, and } stands there.` */
export function faultText({ line, expected, found }: JsonFault): string {
  const there = found === "" ? "the text ends" : `${found} stands there`;
  return `Line ${line}: ${expected} is expected, and ${there}.`;
}

function faultAt(text: string, at: number, wanted: Wanted, close: string | undefined): JsonFault {
  const [found = ""] = /^(?:[\w.+-]{1,20}|"[^"\n]{0,20}"?|.)/su.exec(text.slice(at, at + 24)) ?? [];
  const expected = wanted === ", or close" ? `, or ${close}` : wanted;
  return { line: text.slice(0, at).split("\n").length, expected, found };
}
