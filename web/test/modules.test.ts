import { describe, expect, it } from "vitest";
import { Modules } from "../src/engine/modules";
import { FakeTab } from "./fake-tab";

function modules(): { both: Modules; small: FakeTab; loaded: FakeTab[] } {
  const small = new FakeTab();
  const loaded: FakeTab[] = [];
  const both = new Modules(small, async () => {
    const files = new FakeTab();
    loaded.push(files);
    return files;
  });
  return { both, small, loaded };
}

function tables(both: Modules, store: string): unknown {
  const { body } = both.dispatch(
    store,
    "DynamoDB_20120810.ListTables",
    new TextEncoder().encode("{}"),
    0,
    false,
    undefined,
  );
  return JSON.parse(new TextDecoder().decode(body));
}

describe("the engine's two modules", () => {
  it("needs no SQLite for stores in memory", () => {
    const { both, small, loaded } = modules();
    both.open_memory("lesson");
    expect(tables(both, "lesson")).toEqual({ TableNames: [] });
    expect(small.calls).toContain("lesson ListTables");
    expect(loaded).toHaveLength(0);
    expect(() => both.image("lesson")).toThrow("has no file");
  });

  it("loads the module with SQLite once, for the first database", async () => {
    const { both, small, loaded } = modules();
    const image = new TextEncoder().encode("[]");
    await Promise.all([both.open_opfs("mine", "my.db"), both.open_image("copy", image)]);
    await both.open_image("another", image);
    tables(both, "mine");
    tables(both, "copy");
    const used = loaded.filter(({ calls }) => calls.length > 0);
    expect(used.map(({ calls }) => calls)).toEqual([["mine open", "mine ListTables", "copy ListTables"]]);
    expect(small.calls).toEqual([]);
    expect(both.image("copy")).toEqual(image);
  });

  it("gives a later module the prices and the clock", async () => {
    const { both, small, loaded } = modules();
    both.set_prices("prices of today");
    both.clock('{"advance":5000}', 1);
    both.clock("{}", 2);
    await both.open_opfs("mine", "my.db");
    both.clock('{"rate":60}', 3);
    expect(loaded[0]?.calls).toEqual([
      "prices prices of today",
      'clock {"advance":5000}',
      "mine open",
      'clock {"rate":60}',
    ]);
    expect(small.time).toBe(loaded[0]?.time);
  });

  it("knows where a store is that was opened again elsewhere", async () => {
    const { both, small, loaded } = modules();
    both.open_memory("one");
    await both.open_opfs("one", "my.db");
    tables(both, "one");
    expect(loaded[0]?.calls).toContain("one ListTables");
    both.open_memory("one");
    tables(both, "one");
    expect(small.calls).toEqual(["one ListTables"]);
    both.close("one");
    expect(() => tables(both, "one")).toThrow();
  });

  it("stays with the store that it had when a file is held by another worker", async () => {
    const held = new Map([["my.db", 1]]);
    const both = new Modules(new FakeTab(), async () => new FakeTab(new Map(), held));
    both.open_memory("one");
    expect(await both.open_opfs("one", "my.db")).toBe(false);
    expect(tables(both, "one")).toEqual({ TableNames: [] });
    expect(await both.open_opfs("one", "my.db")).toBe(true);
  });
});
