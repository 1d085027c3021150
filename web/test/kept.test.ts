import { afterEach, describe, expect, it, vi } from "vitest";
import { forgetProgress, lessonsDone, markDone } from "../src/course/progress";
import { forget, keep, kept } from "../src/kept";

/** As much of a browser's storage as is used. */
function storage(): Storage {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  } as Storage;
}

function refusing(): Storage {
  const refuse = (): never => {
    throw new DOMException("no", "SecurityError");
  };
  return { getItem: refuse, setItem: refuse, removeItem: refuse } as unknown as Storage;
}

const isText = (value: unknown): value is string => typeof value === "string";

afterEach(() => {
  forget("a");
  forgetProgress();
  vi.unstubAllGlobals();
});

describe.each([
  ["keeps", storage],
  ["refuses to keep anything", refusing],
])("in a browser that %s", (_, make) => {
  it("what was kept is there as long as the page, until it is forgotten", () => {
    vi.stubGlobal("localStorage", make());
    expect(kept("a", isText)).toBeNull();
    keep("a", "one");
    expect(kept("a", isText)).toBe("one");
    forget("a");
    expect(kept("a", isText)).toBeNull();
  });

  it("lessons are done in their order, once each, and can be forgotten", () => {
    vi.stubGlobal("localStorage", make());
    markDone("pages");
    markDone("items");
    markDone("pages");
    expect([...lessonsDone()]).toEqual(["pages", "items"]);
    forgetProgress();
    expect([...lessonsDone()]).toEqual([]);
  });
});

it.each(["{", "null", '{"done":3}', '{"done":[1]}'])("a foreign text %s counts as none", (text) => {
  const there = storage();
  there.setItem("keyplan.course", text);
  vi.stubGlobal("localStorage", there);
  expect([...lessonsDone()]).toEqual([]);
  markDone("pages");
  expect([...lessonsDone()]).toEqual(["pages"]);
});

it("another tab's lesson is not lost", () => {
  const there = storage();
  vi.stubGlobal("localStorage", there);
  markDone("pages");
  there.setItem("keyplan.course", '{"done":["pages","items"]}');
  markDone("the-primary-key");
  expect([...lessonsDone()]).toEqual(["pages", "items", "the-primary-key"]);
});
