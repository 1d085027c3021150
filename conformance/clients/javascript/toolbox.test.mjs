// dynamodb-toolbox: a shop in one table, through entities with schemas.

import assert from "node:assert/strict";
import { test } from "node:test";

import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import {
  $add,
  $append,
  $delete,
  $remove,
  BatchGetCommand,
  BatchGetRequest,
  BatchPutRequest,
  BatchWriteCommand,
  ConditionCheck,
  DeleteItemCommand,
  Entity,
  GetItemCommand,
  PutItemCommand,
  PutTransaction,
  QueryCommand,
  ScanCommand,
  Table,
  UpdateItemCommand,
  executeBatchGet,
  executeBatchWrite,
  executeTransactWrite,
  item,
  list,
  map,
  number,
  set,
  string,
} from "dynamodb-toolbox";

import { filled } from "./shop.mjs";

const client = new DynamoDBClient({});

/** The shop's entities on a table of their own. */
async function shop() {
  const table = new Table({
    name: await filled(client, { customers: 0, days: 0 }),
    documentClient: DynamoDBDocumentClient.from(client),
    partitionKey: { name: "PK", type: "string" },
    sortKey: { name: "SK", type: "string" },
    indexes: {
      GSI1: {
        type: "global",
        partitionKey: { name: "GSI1PK", type: "string" },
        sortKey: { name: "GSI1SK", type: "string" },
      },
    },
    entityAttributeSavedAs: "kind",
  });
  const customers = new Entity({
    name: "Customer",
    table,
    timestamps: false,
    schema: item({
      id: string().key(),
      email: string(),
      tags: set(string()).optional(),
      address: map({ city: string(), street: string() }).optional(),
      history: list(string()).default([]),
      visits: number().default(0),
    }),
    computeKey: ({ id }) => ({ PK: `CUSTOMER#${id}`, SK: "PROFILE" }),
  });
  const orders = new Entity({
    name: "Order",
    table,
    timestamps: false,
    schema: item({
      customer: string().key(),
      placed: string().key(),
      status: string().enum("OPEN", "SHIPPED").savedAs("GSI1PK").transform({
        encode: (status) => `STATUS#${status}`,
        decode: (saved) => saved.slice("STATUS#".length),
      }),
      sortedBy: string().savedAs("GSI1SK").hidden().optional(),
      total: number(),
    }),
    computeKey: ({ customer, placed }) => ({ PK: `CUSTOMER#${customer}`, SK: `ORDER#${placed}` }),
  });
  return { table, customers, orders };
}

function order(customer, day) {
  const placed = `2026-11-${String(day).padStart(2, "0")}`;
  const status = day % 5 === 0 ? "OPEN" : "SHIPPED";
  return { customer, placed, status, sortedBy: `${placed}#${customer}`, total: day * 1.5 };
}

/** An order as it is read: what only sorts is hidden. */
function shown({ sortedBy: _, ...order }) {
  return order;
}

test("an item is made, read, changed and deleted", async () => {
  const { customers } = await shop();
  const made = {
    id: "ines",
    email: "ines@example.com",
    tags: new Set(["gift", "new"]),
    address: { city: "Leeds", street: "1 High Street" },
  };
  const put = () => customers.build(PutItemCommand).item(made).options({
    condition: { attr: "id", exists: false },
    returnValuesOnConditionFalse: "ALL_OLD",
  });
  await put().send();
  await assert.rejects(put().send(), (error) => {
    assert.equal(error.name, "ConditionalCheckFailedException");
    assert.equal(error.Item.email.S, "ines@example.com");
    return true;
  });
  const read = async (id) => (await customers.build(GetItemCommand).key({ id }).options({ consistent: true }).send()).Item;
  assert.deepEqual(await read("ines"), { ...made, history: [], visits: 0 });
  assert.equal(await read("omar"), undefined);

  const changed = await customers
    .build(UpdateItemCommand)
    .item({
      id: "ines",
      visits: $add(2),
      tags: $delete(new Set(["new"])),
      history: $append(["moved"]),
      address: $remove(),
    })
    .options({
      condition: { and: [{ attr: "email", eq: "ines@example.com" }, { attr: "address.city", beginsWith: "L" }] },
      returnValues: "ALL_NEW",
    })
    .send();
  assert.deepEqual(changed.Attributes, {
    id: "ines",
    email: "ines@example.com",
    tags: new Set(["gift"]),
    history: ["moved"],
    visits: 2,
  });
  const deleted = await customers.build(DeleteItemCommand).key({ id: "ines" }).options({ returnValues: "ALL_OLD" }).send();
  assert.equal(deleted.Attributes.visits, 2);
  assert.equal(await read("ines"), undefined);
});

test("a partition and an index are queried", async () => {
  const { table, customers, orders } = await shop();
  const all = ["ines", "omar"].flatMap((id) => Array.from({ length: 20 }, (_, day) => order(id, day + 1)));
  for (const part of [all.slice(0, 20), all.slice(20)]) {
    const puts = part.map((one) => orders.build(BatchPutRequest).item(one));
    await executeBatchWrite({ maxAttempts: 3 }, table.build(BatchWriteCommand).requests(...puts));
  }
  await customers.build(PutItemCommand).item({ id: "ines", email: "ines@example.com" }).send();

  const partition = table.build(QueryCommand).query({
    partition: "CUSTOMER#ines",
    range: { between: ["ORDER#2026-11-03", "ORDER#2026-11-14"] },
  });
  const dear = await partition
    .entities(orders)
    .options({ filters: { Order: { attr: "total", gt: 15 } }, reverse: true })
    .send();
  assert.deepEqual(dear.Items, [14, 13, 12, 11].map((day) => shown(order("ines", day))));
  assert.deepEqual([dear.Count, dear.ScannedCount], [4, 12]);

  const open = table.build(QueryCommand).query({ index: "GSI1", partition: "STATUS#OPEN" }).entities(orders);
  const pages = [];
  let exclusiveStartKey;
  do {
    const page = await open.options({ limit: 3, exclusiveStartKey }).send();
    pages.push(page.Items.map((one) => `${one.placed.slice(-2)} ${one.customer}`));
    exclusiveStartKey = page.LastEvaluatedKey;
  } while (exclusiveStartKey);
  assert.deepEqual(pages, [["05 ines", "05 omar", "10 ines"], ["10 omar", "15 ines", "15 omar"], ["20 ines", "20 omar"]]);

  const whole = await table.build(QueryCommand).query({ partition: "CUSTOMER#ines" }).entities(customers, orders).send();
  assert.equal(whole.Items.length, 21);
  const scanned = await table.build(ScanCommand).entities(customers).options({ maxPages: Infinity }).send();
  assert.deepEqual(scanned.Items.map((one) => one.email), ["ines@example.com"]);

  const gets = [order("ines", 1), order("omar", 20), order("nobody", 1)].map(({ customer, placed }) =>
    orders.build(BatchGetRequest).key({ customer, placed }),
  );
  const { Responses } = await executeBatchGet(table.build(BatchGetCommand).requests(...gets));
  assert.deepEqual(Responses[0], [shown(order("ines", 1)), shown(order("omar", 20)), undefined]);
});

test("a transaction is whole or not at all", async () => {
  const { customers, orders } = await shop();
  const write = (id) =>
    executeTransactWrite(
      orders.build(PutTransaction).item(order(id, 1)),
      customers.build(ConditionCheck).key({ id }).condition({ attr: "email", exists: true }),
    );
  await assert.rejects(write("ines"), (error) => {
    assert.equal(error.name, "TransactionCanceledException");
    assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ["None", "ConditionalCheckFailed"]);
    return true;
  });
  await customers.build(PutItemCommand).item({ id: "ines", email: "ines@example.com" }).send();
  await write("ines");
  const { customer, placed } = order("ines", 1);
  const read = await orders.build(GetItemCommand).key({ customer, placed }).send();
  assert.deepEqual(read.Item, shown(order("ines", 1)));
});
