import { describe, expect, it } from "vitest";
import { findingsIn } from "../src/request/check";
import { candidatesAt, type Surroundings } from "../src/request/complete";
import { readKeyCondition, writeKeyCondition } from "../src/request/key-condition";
import type { TableShape } from "../src/request/table-shape";

const SHOP: TableShape = {
  name: "Shop",
  partition: [{ name: "pk", type: "S" }],
  sort: [{ name: "name", type: "S" }],
  indexes: [{ name: "ByDay", kind: "global", partition: [{ name: "day", type: "S" }], sort: [] }],
};

function said(operation: string, body: unknown, plain = false): string[] {
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  return findingsIn(operation, text, plain, { tables: [SHOP] }).map(
    ({ line, weight, text }) => `${line} ${weight}: ${text}`,
  );
}

describe("checks", () => {
  it("find nothing in a request that is whole", () => {
    const body = {
      TableName: "Shop",
      KeyConditionExpression: "pk = :p AND #n > :n",
      ExpressionAttributeNames: { "#n": "name" },
      ExpressionAttributeValues: { ":p": { S: "a" }, ":n": { S: "b" } },
    };
    expect(said("Query", body)).toEqual([]);
    expect(said("Query", { ...body, ExpressionAttributeValues: { ":p": "a", ":n": "b" } }, true)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ["Query", "{\n  oops\n}", "2 error: A name in quotes or } is expected, and oops stands there."],
    ["Query", {}, "1 error: Query needs TableName."],
    [
      "Query",
      { TableName: "Shop", Tabel: 1 },
      "3 warning: Query has no member Tabel. The service would pass over it.",
    ],
    ["Query", { TableName: "Shop", Limit: "3" }, "3 error: Limit is a number."],
    [
      "Query",
      { TableName: "Shop", Select: "ALL" },
      "3 error: Select is one of ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES, SPECIFIC_ATTRIBUTES, COUNT.",
    ],
    ["Query", { TableName: "Shop", IndexName: "ByWeek" }, "3 warning: Shop has no index ByWeek."],
    [
      "PutItem",
      { TableName: "Shop", Item: { pk: "a" } },
      '4 error: A typed value has one member, named after its type, such as { "S": "a" }.',
    ],
    [
      "PutItem",
      { TableName: "Shop", Item: { pk: { X: "a" } } },
      "5 error: X is no type: S, N, B, SS, NS, BS, M, L, NULL and BOOL are.",
    ],
    [
      "Scan",
      { TableName: "Shop", FilterExpression: "a = :a" },
      "3 error: FilterExpression uses :a, and ExpressionAttributeValues does not define it.",
    ],
    [
      "Scan",
      { TableName: "Shop", ExpressionAttributeValues: { ":from": { S: "x" } } },
      "4 warning: No expression uses :from yet. The service would refuse the request.",
    ],
  ])("%s %j", (operation, body, finding) => expect(said(operation, body)).toContain(finding));

  it("know reserved words from functions and placeholders", () => {
    const body = {
      TableName: "Shop",
      FilterExpression: "size(items) > :size AND name = :name",
      ExpressionAttributeValues: { ":size": { N: "1" }, ":name": { S: "a" } },
    };
    const findings = said("Scan", body);
    expect(findings).toEqual([
      "3 warning: items is a reserved word. Write #items, and define it in ExpressionAttributeNames.",
      "3 warning: name is a reserved word. Write #name, and define it in ExpressionAttributeNames.",
    ]);
  });
});

describe("a key condition", () => {
  it("goes from fields to an expression and back", () => {
    for (const sort of [
      { operator: "any" as const, values: [] },
      { operator: "=" as const, values: ["a"] },
      { operator: "begins_with" as const, values: ["b"] },
      { operator: "BETWEEN" as const, values: ["a", "b"] },
      { operator: ">=" as const, values: ["c"] },
    ]) {
      const condition = { partition: ["p"], sort: [sort] };
      const body = writeKeyCondition(
        { TableName: "Shop", FilterExpression: "x = :x", ExpressionAttributeValues: { ":x": { S: "k" } } },
        SHOP,
        condition,
      );
      expect(readKeyCondition(body, SHOP), JSON.stringify(body)).toEqual(condition);
      expect(body["ExpressionAttributeValues"]).toMatchObject({ ":x": { S: "k" } });
      // Written again, nothing of the old condition is left over.
      const again = writeKeyCondition(body, SHOP, {
        partition: ["q"],
        sort: [{ operator: "any", values: [] }],
      });
      expect(again).toEqual({
        TableName: "Shop",
        FilterExpression: "x = :x",
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":x": { S: "k" }, ":pk": { S: "q" } },
      });
    }
  });

  it("that fields can't show is left as it is written", () => {
    for (const expression of ["pk = :p OR pk = :q", "other = :p", "pk > :p", "NOT pk = :p"])
      expect(readKeyCondition({ KeyConditionExpression: expression }, SHOP), expression).toBeNull();
  });
});

describe("completion", () => {
  const around: Surroundings = {
    operation: "Query",
    table: "Shop",
    index: undefined,
    tables: [SHOP],
    attributes: [
      { name: "pk", type: "S" },
      { name: "name", type: "S" },
    ],
    placeholders: [":p", "#n"],
  };
  const labels = (path: string[], writes: "name" | "value", there: string[] = []): string[] =>
    candidatesAt({ path, writes, there }, around).map(({ label }) => label);

  it("offers members of the operation that are not there yet, words, tables and indexes", () => {
    expect(labels([], "name", ["TableName"])).toContain("KeyConditionExpression");
    expect(labels([], "name", ["TableName"])).not.toContain("TableName");
    expect(labels(["Select"], "value")).toContain("COUNT");
    expect(labels(["TableName"], "value")).toEqual(["Shop"]);
    expect(labels(["IndexName"], "value")).toEqual(["ByDay"]);
    expect(labels(["ExpressionAttributeValues"], "name")).toEqual([":p"]);
    expect(labels(["ExpressionAttributeValues", ":p"], "name")).toContain("SS");
  });

  it("offers in a key condition what narrows the read, and says which names are reserved", () => {
    expect(labels(["KeyConditionExpression"], "value")).toEqual(
      expect.arrayContaining(["pk", "name BETWEEN : AND :", "begins_with(name, :)"]),
    );
    const filter = candidatesAt({ path: ["FilterExpression"], writes: "value", there: [] }, around);
    expect(filter.find(({ label }) => label === "name")?.about).toContain("reserved");
    expect(filter.map(({ label }) => label)).toContain("attribute_exists(");
  });
});
