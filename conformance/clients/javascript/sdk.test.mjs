// The client of the AWS SDK for JavaScript: tables with indexes, all types, pages, conditions, batches,
// transactions.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  IdempotentParameterMismatchException,
  PutItemCommand,
  QueryCommand,
  ResourceInUseException,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  TransactionCanceledException,
  UpdateItemCommand,
  UpdateTableCommand,
  paginateListTables,
  paginateQuery,
  paginateScan,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";

import { arn, customer, filled, key, newName, order, schema } from "./shop.mjs";

const client = new DynamoDBClient({});
const bytes = (...values) => Uint8Array.from(values);
const ALL_TYPES = {
  S: { S: 'a snowman ☃, \u{1f600}, "quoted\\" and \x01' },
  N: { N: "-12345678901234567890.123456789012345678" },
  B: { B: Uint8Array.from({ length: 256 }, (_, byte) => byte) },
  BOOL: { BOOL: false },
  NULL: { NULL: true },
  SS: { SS: ["a", "b", "é"] },
  NS: { NS: ["-0.001", "10", "9.5"] },
  BS: { BS: [bytes(0), bytes(97), bytes(255, 254)] },
  L: { L: [{ S: "" }, { B: bytes() }, { L: [] }, { M: { deep: { N: "1" } } }] },
  M: { M: { empty: { M: {} }, small: { N: "0.0000000001" } } },
};

/** The item with its sets in one order. */
function settled(item) {
  const copy = structuredClone(item);
  copy.SS?.SS.sort();
  copy.NS?.NS.sort();
  copy.BS?.BS.sort((a, b) => Buffer.compare(a, b));
  return copy;
}

/** All pages of a paginator. */
async function all(pages) {
  const found = [];
  for await (const page of pages) found.push(page);
  return found;
}

test("a table with an index is made, waited for, described and deleted", async () => {
  const name = newName();
  const made = await client.send(new CreateTableCommand(schema(name)));
  assert.equal(made.TableDescription.TableStatus, "CREATING");
  assert.equal(made.TableDescription.TableArn, arn(name));
  const waited = await waitUntilTableExists({ client, maxWaitTime: 5, minDelay: 1 }, { TableName: name });
  assert.equal(waited.state, "SUCCESS");
  await assert.rejects(client.send(new CreateTableCommand(schema(name))), (error) => {
    assert.ok(error instanceof ResourceInUseException);
    assert.equal(error.message, `Table already exists: ${name}`);
    return true;
  });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  assert.equal(Table.TableStatus, "ACTIVE");
  assert.ok(Table.CreationDateTime instanceof Date && !Number.isNaN(Table.CreationDateTime.valueOf()));
  assert.deepEqual(Table.KeySchema, schema(name).KeySchema);
  assert.deepEqual(Table.AttributeDefinitions, schema(name).AttributeDefinitions);
  const [index] = Table.GlobalSecondaryIndexes;
  assert.deepEqual(index, {
    ...schema(name).GlobalSecondaryIndexes[0],
    IndexStatus: "ACTIVE",
    IndexArn: `${arn(name)}/index/GSI1`,
    IndexSizeBytes: 0,
    ItemCount: 0,
    ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
    WarmThroughput: { ReadUnitsPerSecond: 12000, WriteUnitsPerSecond: 4000, Status: "ACTIVE" },
  });
  const pages = await all(paginateListTables({ client, pageSize: 1 }, {}));
  assert.ok(pages.flatMap((page) => page.TableNames).includes(name));
  await client.send(new DeleteTableCommand({ TableName: name }));
  const gone = await waitUntilTableNotExists({ client, maxWaitTime: 5, minDelay: 1 }, { TableName: name });
  assert.equal(gone.state, "SUCCESS");
});

test("an index is added to a table in use and taken from it", async () => {
  const name = await filled(client, { customers: 2, days: 3 });
  const indexes = async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    return Object.fromEntries(Table.GlobalSecondaryIndexes.map((one) => [one.IndexName, one.IndexStatus]));
  };
  // Each request lets the work go on, so a bound on requests is a bound on the wait.
  const reaches = async (wanted) => {
    for (let request = 0; request < 200; request += 1) {
      const found = await indexes();
      if (JSON.stringify(found) === JSON.stringify(wanted)) return;
    }
    assert.deepEqual(await indexes(), wanted);
  };
  await client.send(
    new UpdateTableCommand({
      TableName: name,
      AttributeDefinitions: [{ AttributeName: "email", AttributeType: "S" }],
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: "ByEmail",
            KeySchema: [{ AttributeName: "email", KeyType: "HASH" }],
            Projection: { ProjectionType: "KEYS_ONLY" },
          },
        },
      ],
    }),
  );
  await reaches({ GSI1: "ACTIVE", ByEmail: "ACTIVE" });
  const scanned = await client.send(new ScanCommand({ TableName: name, IndexName: "ByEmail" }));
  const emails = scanned.Items.map((item) => item.email.S).sort();
  assert.deepEqual(emails, ["c1@example.com", "c2@example.com"]);
  await client.send(
    new UpdateTableCommand({
      TableName: name,
      GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "ByEmail" } }],
    }),
  );
  await reaches({ GSI1: "ACTIVE" });
});

test("every type comes back as it was put", async () => {
  const name = await filled(client, { customers: 0, days: 0 });
  const item = { ...customer(1), ...ALL_TYPES };
  await client.send(new PutItemCommand({ TableName: name, Item: item }));
  const read = await client.send(
    new GetItemCommand({ TableName: name, Key: key(item), ConsistentRead: true }),
  );
  assert.deepEqual(settled(read.Item), settled(item));
  const absent = await client.send(new GetItemCommand({ TableName: name, Key: key(customer(9)) }));
  assert.equal(absent.Item, undefined);
});

test("pages by limit and by size", async () => {
  const name = await filled(client, { customers: 1, days: 9 });
  const query = {
    TableName: name,
    KeyConditionExpression: "PK = :customer AND begins_with(SK, :orders)",
    ExpressionAttributeValues: { ":customer": { S: "CUSTOMER#1" }, ":orders": { S: "ORDER#" } },
  };
  const pages = await all(paginateQuery({ client, pageSize: 4 }, query));
  assert.deepEqual(pages.map((page) => page.Count), [4, 4, 1]);
  assert.deepEqual(pages[0].LastEvaluatedKey, key(order(1, 4)));
  const orders = Array.from({ length: 9 }, (_, day) => order(1, day + 1));
  assert.deepEqual(pages.flatMap((page) => page.Items), orders);

  const open = await client.send(
    new QueryCommand({
      TableName: name,
      IndexName: "GSI1",
      KeyConditionExpression: "GSI1PK = :open",
      ExpressionAttributeValues: { ":open": { S: "STATUS#OPEN" } },
      ScanIndexForward: false,
      ReturnConsumedCapacity: "INDEXES",
    }),
  );
  assert.deepEqual(open.Items, [order(1, 8), order(1, 4)]);
  assert.equal(open.ConsumedCapacity.GlobalSecondaryIndexes.GSI1.CapacityUnits, 0.5);

  const whole = await all(paginateScan({ client, pageSize: 3 }, { TableName: name, Select: "COUNT" }));
  assert.equal(whole.reduce((sum, page) => sum + page.Count, 0), 10);
  assert.ok(whole.every((page) => page.Items === undefined));

  for (let number = 10; number < 22; number += 1) {
    const Item = { PK: { S: "LARGE" }, SK: { S: `${number}` }, body: { S: "x".repeat(100_000) } };
    await client.send(new PutItemCommand({ TableName: name, Item }));
  }
  const large = {
    TableName: name,
    KeyConditionExpression: "PK = :large",
    ExpressionAttributeValues: { ":large": { S: "LARGE" } },
  };
  const bySize = await all(paginateQuery({ client }, large));
  assert.deepEqual(bySize.map((page) => page.Count), [11, 1], "the item that crosses 1 MB ends the page");
});

test("a failed condition hands over the item", async () => {
  const name = await filled(client, { customers: 0, days: 0 });
  const item = { ...customer(1), ...ALL_TYPES };
  await client.send(new PutItemCommand({ TableName: name, Item: item }));
  const failing = [
    new PutItemCommand({
      TableName: name,
      Item: customer(1),
      ConditionExpression: "attribute_not_exists(PK)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    }),
    new UpdateItemCommand({
      TableName: name,
      Key: key(item),
      UpdateExpression: "SET email = :other",
      ConditionExpression: "email = :other",
      ExpressionAttributeValues: { ":other": { S: "other@example.com" } },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    }),
    new DeleteItemCommand({
      TableName: name,
      Key: key(item),
      ConditionExpression: "size(SS) > :three",
      ExpressionAttributeValues: { ":three": { N: "3" } },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    }),
  ];
  for (const command of failing) {
    await assert.rejects(client.send(command), (error) => {
      assert.ok(error instanceof ConditionalCheckFailedException);
      assert.equal(error.name, "ConditionalCheckFailedException");
      assert.equal(error.message, "The conditional request failed");
      assert.deepEqual(settled(error.Item), settled(item));
      assert.equal(error.$metadata.httpStatusCode, 400);
      return true;
    });
  }
  const plain = { ...failing[0].input, ReturnValuesOnConditionCheckFailure: undefined };
  await assert.rejects(client.send(new PutItemCommand(plain)), (error) => {
    assert.equal(error.Item, undefined);
    return error instanceof ConditionalCheckFailedException;
  });
  const updated = await client.send(
    new UpdateItemCommand({
      TableName: name,
      Key: key(item),
      UpdateExpression: "SET L[3].deep = L[3].deep + :one REMOVE S DELETE BS :first",
      ConditionExpression: "contains(BS, :a) AND attribute_type(NULL_, :null) OR #null = :nothing",
      ExpressionAttributeNames: { "#null": "NULL" },
      ExpressionAttributeValues: {
        ":one": { N: "1" },
        ":first": { BS: [bytes(0)] },
        ":a": { B: bytes(97) },
        ":null": { S: "NULL" },
        ":nothing": { NULL: true },
      },
      ReturnValues: "UPDATED_OLD",
    }),
  );
  assert.deepEqual(settled(updated.Attributes), {
    S: ALL_TYPES.S,
    BS: ALL_TYPES.BS,
    L: { L: [{ M: { deep: { N: "1" } } }] },
  });
});

test("what a batch leaves is asked for again", async () => {
  const name = await filled(client, { customers: 0, days: 0 });
  const items = Array.from({ length: 60 }, (_, number) => ({
    PK: { S: "LARGE" },
    SK: { S: String(number).padStart(2, "0") },
    body: { S: "x".repeat(300_000) },
  }));
  for (let start = 0; start < items.length; start += 25) {
    let left = { [name]: items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } })) };
    while (Object.keys(left).length > 0) {
      ({ UnprocessedItems: left } = await client.send(new BatchWriteItemCommand({ RequestItems: left })));
    }
  }
  let left = { [name]: { Keys: items.map(key), ProjectionExpression: "SK" } };
  const found = [];
  const rounds = [];
  while (Object.keys(left).length > 0) {
    const answer = await client.send(new BatchGetItemCommand({ RequestItems: left }));
    found.push(...answer.Responses[name]);
    rounds.push(answer.Responses[name].length);
    left = answer.UnprocessedKeys;
  }
  assert.equal(rounds.length, 2, `16 MB an answer: ${rounds}`);
  assert.deepEqual(found.map((item) => item.SK.S).sort(), items.map((item) => item.SK.S));

  let deletes = { [name]: items.slice(0, 25).map((item) => ({ DeleteRequest: { Key: key(item) } })) };
  while (Object.keys(deletes).length > 0) {
    ({ UnprocessedItems: deletes } = await client.send(new BatchWriteItemCommand({ RequestItems: deletes })));
  }
  const counts = await all(paginateScan({ client }, { TableName: name, Select: "COUNT" }));
  assert.equal(counts.reduce((sum, page) => sum + page.Count, 0), 35);
});

test("a transaction says why it was cancelled", async () => {
  const name = await filled(client, { customers: 1, days: 2 });
  const actions = [
    { Put: { TableName: name, Item: customer(2) } },
    {
      ConditionCheck: {
        TableName: name,
        Key: key(customer(1)),
        ConditionExpression: "attribute_not_exists(PK)",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      },
    },
    {
      Update: {
        TableName: name,
        Key: key(order(1, 1)),
        UpdateExpression: "SET GSI1SK = GSI1SK + :one",
        ExpressionAttributeValues: { ":one": { N: "1" } },
      },
    },
  ];
  await assert.rejects(client.send(new TransactWriteItemsCommand({ TransactItems: actions })), (error) => {
    assert.ok(error instanceof TransactionCanceledException);
    assert.equal(
      error.message,
      "Transaction cancelled, please refer cancellation reasons for specific reasons " +
        "[None, ConditionalCheckFailed, ValidationError]",
    );
    assert.deepEqual(error.CancellationReasons, [
      { Code: "None" },
      { Code: "ConditionalCheckFailed", Item: customer(1), Message: "The conditional request failed" },
      { Code: "ValidationError", Message: "An operand in the update expression has an incorrect data type" },
    ]);
    return true;
  });
  const both = [customer(2), order(1, 1)].map((item) => ({ Get: { TableName: name, Key: key(item) } }));
  const read = await client.send(new TransactGetItemsCommand({ TransactItems: both }));
  assert.deepEqual(read.Responses, [{}, { Item: order(1, 1) }], "nothing of it was written");
});

test("a transaction with a token is done once", async () => {
  const name = await filled(client, { customers: 1, days: 0 });
  const add = (amount) =>
    client.send(
      new TransactWriteItemsCommand({
        ClientRequestToken: `${name}-add`.slice(-36),
        TransactItems: [
          {
            Update: {
              TableName: name,
              Key: key(customer(1)),
              UpdateExpression: "ADD visits :n",
              ExpressionAttributeValues: { ":n": { N: amount } },
            },
          },
        ],
      }),
    );
  await add("2");
  await add("2");
  await assert.rejects(add("3"), IdempotentParameterMismatchException);
  const read = await client.send(new GetItemCommand({ TableName: name, Key: key(customer(1)) }));
  assert.equal(read.Item.visits.N, "2");
});
