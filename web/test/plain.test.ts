import { describe, expect, it } from "vitest";
import { treeOf, valueOf } from "../src/request/json-tree";
import { plainAnswer, plainBody, plainMap, plainOf, typedBody, typedItem } from "../src/request/plain";
import { chance, textFrom, valueFrom } from "./chance";

describe("a tree", () => {
  it("says what JSON.parse says, whatever the layout", () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const value = { a: valueFrom(chance(seed)), [textFrom(chance(seed + 1))]: [1, true, null, -2.5e3] };
      for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
        const tree = treeOf(text);
        expect(tree === null ? tree : valueOf(tree), `seed ${seed}`).toEqual(JSON.parse(text));
      }
    }
  });

  it("is nothing where the text is no JSON", () => {
    for (const text of ["", "{", "[1,]", '{"a" 1}', "{} x", "01", "[".repeat(10_000)])
      expect(treeOf(text), text.slice(0, 10)).toBeNull();
  });
});

describe("plain JSON", () => {
  it("comes back as the typed value that it was made of", () => {
    for (let seed = 0; seed < 2_000; seed += 1) {
      const item = { value: valueFrom(chance(seed)) };
      const text = JSON.stringify(plainMap(item));
      expect(typedItem(text), `seed ${seed}: ${text}`).toEqual(item);
    }
  });

  it("has text, numbers, truth, null, lists and maps as they are, and keeps the type of the rest", () => {
    const item = {
      name: { S: "Ines" },
      age: { N: "41" },
      exact: { N: "12345678901234567890" },
      paid: { BOOL: false },
      none: { NULL: true },
      tags: { SS: ["a", "b"] },
      lines: { L: [{ M: { sku: { S: "x" }, count: { N: "2" } } }] },
    };
    expect(plainMap(item)).toEqual({
      name: "Ines",
      age: 41,
      exact: { N: "12345678901234567890" },
      paid: false,
      none: null,
      tags: { SS: ["a", "b"] },
      lines: [{ sku: "x", count: 2 }],
    });
    expect(plainOf({ M: { SS: { L: [{ S: "a" }] } } })).toEqual({ M: { SS: { L: [{ S: "a" }] } } });
  });

  it("keeps every digit that is typed", () => {
    expect(typedItem('{"n": 0.10000000000000000000000000000000001}')).toEqual({
      n: { N: "0.10000000000000000000000000000000001" },
    });
  });

  it("of a request touches its attribute values alone", () => {
    const typed = {
      TableName: "Shop",
      Limit: 3,
      ExpressionAttributeNames: { "#s": "S" },
      ExpressionAttributeValues: { ":c": { S: "c-1" }, ":n": { N: "2" } },
    };
    const plain = plainBody("Query", typed);
    expect(plain).toEqual({ ...typed, ExpressionAttributeValues: { ":c": "c-1", ":n": 2 } });
    expect(typedBody("Query", JSON.stringify(plain))).toEqual(typed);
    const batch = { RequestItems: { Shop: [{ PutRequest: { Item: { pk: { S: "a" } } } }] } };
    expect(plainBody("BatchWriteItem", batch)).toEqual({
      RequestItems: { Shop: [{ PutRequest: { Item: { pk: "a" } } }] },
    });
    expect(plainAnswer("Query", { Items: [{ pk: { S: "a" } }], Count: 1 })).toEqual({
      Items: [{ pk: "a" }],
      Count: 1,
    });
  });
});
