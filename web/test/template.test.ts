import { describe, expect, it } from "vitest";
import { conditionOf } from "../src/console/condition";
import { examplesOf, filled } from "../src/console/template";

describe("a template", () => {
  it("puts values into strings at any depth and leaves the rest alone", () => {
    const template = { Key: { pk: { S: "BOAT#<boat>" } }, Limit: 3, List: [{ N: "<count>" }], Flag: false };
    expect(filled(template, { boat: "7", count: "12" })).toEqual({
      Key: { pk: { S: "BOAT#7" } },
      Limit: 3,
      List: [{ N: "12" }],
      Flag: false,
    });
  });

  it("leaves what is no parameter, and takes a value as text whatever stands in it", () => {
    expect(filled({ a: "<other>", b: "x<boat>" }, { boat: '"$&<other>' })).toEqual({
      a: "<other>",
      b: 'x"$&<other>',
    });
  });

  it("starts with the examples", () => {
    expect(examplesOf([{ name: "boat", label: "Boat", type: "S", example: "7", prefix: "BOAT#" }])).toEqual({
      boat: "7",
    });
  });
});

describe("a request in short", () => {
  it("names the key condition, or the key", () => {
    expect(conditionOf({ KeyConditionExpression: "pk = :p", ScanIndexForward: false, Limit: 3 })).toBe(
      "pk = :p, descending, limit 3",
    );
    expect(conditionOf({ Key: { pk: {}, sk: {} } })).toBe("pk, sk");
  });
});
