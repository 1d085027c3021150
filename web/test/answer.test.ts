import { describe, expect, it } from "vitest";
import { itemsOf, itemTable } from "../src/answer/items";
import type { Item } from "../src/contract";

const trip = (sk: string): Item => ({
  pk: { S: "kiel" },
  sk: { S: sk },
  to: { S: "Oslo" },
  seats: { N: "9" },
});

describe("an answer's items", () => {
  it("are Items, one Item, or the Attributes of a write", () => {
    expect(itemsOf({ Items: [trip("1")], Count: 1 })).toEqual([trip("1")]);
    expect(itemsOf({ Item: trip("1") })).toEqual([trip("1")]);
    expect(itemsOf({ Attributes: trip("1") })).toEqual([trip("1")]);
    expect(itemsOf({ TableNames: [] })).toBeNull();
    expect(itemsOf(null)).toBeNull();
  });

  it("stand by key, then by the attributes of the commonest shape; others are written out", () => {
    const boat: Item = { pk: { S: "kiel" }, sk: { S: "BOAT" }, name: { S: "Petrel" } };
    const table = itemTable([boat, trip("1"), trip("2")], ["pk", "sk"]);
    expect(table.keys).toEqual([
      { name: "pk", width: "s" },
      { name: "sk", width: "s" },
    ]);
    expect(table.columns.map(({ name }) => name)).toEqual(["seats", "to"]);
    expect(table.lines[0]).toEqual({
      keyTexts: ["kiel", "BOAT"],
      cells: null,
      pairs: [{ name: "name", text: "Petrel" }],
    });
    expect(table.lines[1]).toEqual({ keyTexts: ["kiel", "1"], cells: ["9", "Oslo"], pairs: [] });
  });

  it("leave out keys that a projection left out, and never shorten one that is there", () => {
    const long = "x".repeat(60);
    expect(itemTable([{ to: { S: "Oslo" } }], ["pk", "sk"])).toMatchObject({
      keys: [],
      columns: [{ name: "to" }],
    });
    expect(itemTable([{ pk: { S: long } }], ["pk"]).lines[0]?.keyTexts).toEqual([long]);
  });
});
