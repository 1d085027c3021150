import { describe, expect, it } from "vitest";
import { lessonOf } from "../src/answer/lessons";
import { adjusted, UNADJUSTED } from "../src/console/adjustment";
import { refusalOf } from "../src/engine/remote";
import { writtenBy } from "../src/studio/written";
import { createTableBody, emptyIndex, emptyTable } from "../src/tables/new-table";

describe("a pattern", () => {
  it("takes a direction, a Limit and a filter beside its own, and none where none is given", () => {
    const body = {
      TableName: "T",
      FilterExpression: "a = :a",
      ExpressionAttributeValues: { ":a": { S: "x" } },
    };
    expect(adjusted(body, UNADJUSTED)).toEqual(body);
    const filter = { attribute: "name", comparison: ">=" as const, type: "N", value: "3" };
    expect(adjusted(body, { direction: "backward", limit: "2", filter })).toEqual({
      TableName: "T",
      ScanIndexForward: false,
      Limit: 2,
      FilterExpression: "(a = :a) AND #filtered >= :filtered",
      ExpressionAttributeNames: { "#filtered": "name" },
      ExpressionAttributeValues: { ":a": { S: "x" }, ":filtered": { N: "3" } },
    });
  });
});

describe("what a request wrote", () => {
  it("is told of batches and transactions, by table", () => {
    const item = { pk: { S: "a" } };
    const batch = { RequestItems: { T: [{ PutRequest: { Item: item } }, { DeleteRequest: { Key: item } }] } };
    expect(writtenBy("BatchWriteItem", batch)).toEqual([{ table: "T", item }]);
    const actions = [{ Put: { TableName: "T", Item: item } }, { Update: { TableName: "U", Key: item } }];
    expect(writtenBy("TransactWriteItems", { TransactItems: [...actions, { Delete: {} }] })).toEqual([
      { table: "T", item },
      { table: "U", item },
    ]);
    expect(writtenBy("Query", { TableName: "T", Key: item })).toEqual([]);
    expect(writtenBy("BatchWriteItem", { RequestItems: 1 })).toEqual([]);
  });
});

describe("a table by form", () => {
  it("names each key attribute once, and gives a local index the table's partition key", () => {
    const table = { ...emptyTable(), name: "T" };
    const local = { ...emptyIndex(), name: "L", kind: "local" as const, sort: { name: "at", type: "N" } };
    const global = { ...emptyIndex(), name: "G", partition: { name: "sk", type: "S" } };
    expect(createTableBody({ ...table, indexes: [local, global] })).toMatchObject({
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "S" },
        { AttributeName: "at", AttributeType: "N" },
      ],
      GlobalSecondaryIndexes: [{ IndexName: "G", KeySchema: [{ AttributeName: "sk", KeyType: "HASH" }] }],
      LocalSecondaryIndexes: [
        {
          IndexName: "L",
          KeySchema: [
            { AttributeName: "pk", KeyType: "HASH" },
            { AttributeName: "at", KeyType: "RANGE" },
          ],
        },
      ],
    });
  });
});

it("only endpoints on this machine are asked", () => {
  expect([refusalOf("http://localhost:8000"), refusalOf("http://127.0.0.1:9")]).toEqual([null, null]);
  expect(refusalOf("https://dynamodb.us-east-1.amazonaws.com")).toContain("on this machine");
  expect(refusalOf("localhost")).toContain("An address is like");
});

it("an error leads to the lesson about it, and others to none", () => {
  const error = (type: string, message: string): { type: string; message: string } => ({ type, message });
  expect(
    lessonOf("PutItem", error("ConditionalCheckFailedException", "The conditional request failed")),
  ).toBe("claim-once");
  expect(
    lessonOf("Query", error("ValidationException", "Query condition missed key schema element: pk")),
  ).toBe("one-query-a-whole-collection");
  expect(
    lessonOf("Query", error("ResourceNotFoundException", "Requested resource not found")),
  ).toBeUndefined();
});
