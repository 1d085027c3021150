import { describe, expect, it } from "vitest";
import { faultIn, faultText } from "../src/console/json-fault";

/** Texts about the edge of JSON: small changes of one that is. */
function* neighbours(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 1) {
    yield text.slice(0, at);
    yield text.slice(0, at) + text.slice(at + 1);
    for (const sign of ',:{}[]"0-.e x\\\n') yield text.slice(0, at) + sign + text.slice(at);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("a fault in JSON", () => {
  it("is found exactly where there is one", () => {
    const text = '{ "a": [1, -2.5e+3, "b\\u00e4\\n"],\n "c": {}, "d": [], "e": [true, null] }';
    for (const near of neighbours(text)) expect(faultIn(near) === null, near).toBe(isJson(near));
  });

  it("is told with its line and what should stand there", () => {
    const told = (text: string): string => {
      const fault = faultIn(text);
      return fault === null ? "" : faultText(fault);
    };
    expect(told("{")).toBe("Line 1: a name in quotes or } is expected, and the text ends.");
    expect(told('{\n  "a": 1\n  "b": 2\n}')).toBe('Line 3: , or } is expected, and "b" stands there.');
    expect(told('{\n  "a": 1,\n}')).toBe("Line 3: a name in quotes is expected, and } stands there.");
    expect(told('{ "a": nope }')).toBe("Line 1: a value is expected, and nope stands there.");
    expect(told("{} {}")).toBe("Line 1: the end is expected, and { stands there.");
    expect(told("")).toBe("Line 1: a value is expected, and the text ends.");
  });
});
