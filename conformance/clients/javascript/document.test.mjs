// The document client (lib-dynamodb), which turns JavaScript's values into attributes and back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ConditionalCheckFailedException, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocument,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
  paginateQuery,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";

import { filled } from "./shop.mjs";

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
  marshallOptions: { removeUndefinedValues: true },
});

test("values of all types go there and come back", async () => {
  const TableName = await filled(new DynamoDBClient({}), { customers: 0, days: 0 });
  const item = {
    PK: "CUSTOMER#1",
    SK: "PROFILE",
    text: "a snowman ☃",
    number: -1.5e-7,
    bytes: Uint8Array.of(0, 255),
    yes: true,
    nothing: null,
    texts: new Set(["a", "b"]),
    numbers: new Set([1, 2.5]),
    blobs: new Set([Uint8Array.of(1)]),
    list: ["x", [], { deep: 1 }],
    map: { empty: {}, text: "" },
  };
  await documents.send(new PutCommand({ TableName, Item: { ...item, left: undefined } }));
  const Key = { PK: item.PK, SK: item.SK };
  const read = await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  assert.deepEqual(read.Item, item);

  const exact = DynamoDBDocument.from(new DynamoDBClient({}), { unmarshallOptions: { wrapNumbers: true } });
  const digits = "12345678901234567890.123456789012345678";
  await exact.put({ TableName, Item: { ...Key, digits: NumberValue.from(digits) } });
  assert.equal((await exact.get({ TableName, Key })).Item.digits.toString(), digits);
});

test("pages, batches, conditions and transactions", async () => {
  const TableName = await filled(new DynamoDBClient({}), { customers: 2, days: 6 });
  const query = {
    TableName,
    KeyConditionExpression: "PK = :customer AND SK BETWEEN :from AND :to",
    FilterExpression: "#total <> :skipped",
    ExpressionAttributeNames: { "#total": "total" },
    ExpressionAttributeValues: {
      ":customer": "CUSTOMER#2",
      ":from": "ORDER#2026-11-02",
      ":to": "ORDER#2026-11-05",
      ":skipped": 97,
    },
  };
  const totals = [];
  for await (const page of paginateQuery({ client: documents, pageSize: 3 }, query)) {
    totals.push(page.Items.map((order) => order.total));
  }
  assert.deepEqual(totals, [[98, 96], [95]]);
  let scanned = 0;
  for await (const page of paginateScan({ client: documents, pageSize: 5 }, { TableName })) {
    scanned += page.Items.length;
  }
  assert.equal(scanned, 14);

  const open = await documents.send(
    new QueryCommand({
      TableName,
      IndexName: "GSI1",
      KeyConditionExpression: "GSI1PK = :open",
      ExpressionAttributeValues: { ":open": "STATUS#OPEN" },
    }),
  );
  assert.deepEqual(open.Items.map((order) => order.PK).sort(), ["CUSTOMER#1", "CUSTOMER#2"]);

  const Key = { PK: "CUSTOMER#1", SK: "PROFILE" };
  const failing = new UpdateCommand({
    TableName,
    Key,
    UpdateExpression: "SET visits = :one",
    ConditionExpression: "attribute_exists(visits)",
    ExpressionAttributeValues: { ":one": 1 },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await assert.rejects(documents.send(failing), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException);
    // The document client leaves an error's item as the service sent it.
    assert.deepEqual(error.Item, { PK: { S: Key.PK }, SK: { S: Key.SK }, email: { S: "c1@example.com" } });
    return true;
  });

  const puts = [1, 2].map((number) => ({ PutRequest: { Item: { PK: "CART", SK: `${number}`, number } } }));
  const written = await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
  assert.deepEqual(written.UnprocessedItems, {});
  const Keys = [1, 2, 3].map((number) => ({ PK: "CART", SK: `${number}` }));
  const read = await documents.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }));
  assert.deepEqual(read.Responses[TableName].map((item) => item.number).sort(), [1, 2]);

  const transaction = new TransactWriteCommand({
    TransactItems: [
      { Delete: { TableName, Key: Keys[0] } },
      {
        Update: {
          TableName,
          Key: Keys[1],
          UpdateExpression: "SET #number = :ten",
          ConditionExpression: "#number = :nine",
          ExpressionAttributeNames: { "#number": "number" },
          ExpressionAttributeValues: { ":nine": 9, ":ten": 10 },
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        },
      },
    ],
  });
  await assert.rejects(documents.send(transaction), (error) => {
    assert.equal(error.name, "TransactionCanceledException");
    assert.deepEqual(
      error.CancellationReasons.map((reason) => [reason.Code, reason.Message]),
      [["None", undefined], ["ConditionalCheckFailed", "The conditional request failed"]],
    );
    return true;
  });
  const deleted = await documents.send(new DeleteCommand({ TableName, Key: Keys[0], ReturnValues: "ALL_OLD" }));
  assert.deepEqual(deleted.Attributes, { PK: "CART", SK: "1", number: 1 });
});
