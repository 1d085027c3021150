// dynamodb-onetable: a shop in one table, through models of one schema.

import assert from "node:assert/strict";
import { test } from "node:test";

import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { Table } from "dynamodb-onetable";
import { Dynamo } from "dynamodb-onetable/Dynamo";

import { newName } from "./shop.mjs";

const SCHEMA = {
  format: "onetable:1.1.0",
  version: "0.0.1",
  indexes: {
    primary: { hash: "PK", sort: "SK" },
    gs1: { hash: "GSI1PK", sort: "GSI1SK", project: "all" },
  },
  models: {
    Customer: {
      PK: { type: "string", value: "CUSTOMER#${id}" },
      SK: { type: "string", value: "PROFILE" },
      id: { type: "string", generate: "ulid" },
      email: { type: "string", required: true, unique: true },
      tags: { type: "set" },
      address: { type: "object", schema: { city: { type: "string" }, street: { type: "string" } } },
      joined: { type: "date" },
      visits: { type: "number", default: 0 },
    },
    Order: {
      PK: { type: "string", value: "CUSTOMER#${customer}" },
      SK: { type: "string", value: "ORDER#${placed}" },
      GSI1PK: { type: "string", value: "STATUS#${status}" },
      GSI1SK: { type: "string", value: "${placed}#${customer}" },
      customer: { type: "string", required: true },
      placed: { type: "string", required: true },
      status: { type: "string", enum: ["OPEN", "SHIPPED"], required: true },
      total: { type: "number", required: true },
    },
  },
  params: { isoDates: true, timestamps: false },
};

/** The shop's models on a table that the library makes. */
async function shop() {
  const table = new Table({
    client: new Dynamo({ client: new DynamoDBClient({}) }),
    name: newName(),
    schema: SCHEMA,
    partial: true,
  });
  await table.createTable();
  return { table, customers: table.getModel("Customer"), orders: table.getModel("Order") };
}

function order(customer, day) {
  const placed = `2026-11-${String(day).padStart(2, "0")}`;
  return { customer, placed, status: day % 5 === 0 ? "OPEN" : "SHIPPED", total: day * 1.5 };
}

test("the library makes its table, and deletes it", async () => {
  const { table } = await shop();
  assert.equal(await table.exists(), true);
  const { Table: described } = await table.describeTable();
  assert.deepEqual(described.GlobalSecondaryIndexes.map((index) => index.IndexName), ["gs1"]);
  await table.deleteTable("DeleteTableForever");
  assert.equal(await table.exists(), false);
});

test("an item is made, read, changed and removed", async () => {
  const { customers } = await shop();
  const made = {
    email: "ines@example.com",
    tags: new Set(["gift", "new"]),
    address: { city: "Leeds", street: "1 High Street" },
    joined: new Date("2026-11-01T00:00:00.000Z"),
  };
  const { id } = await customers.create(made);
  assert.match(id, /^[0-9A-Z]{26}$/);
  assert.deepEqual(await customers.get({ id }), { ...made, id, visits: 0 });
  assert.equal(await customers.get({ id: "omar" }), undefined);
  await assert.rejects(customers.create({ ...made }), (error) => {
    assert.equal(error.code, "UniqueError");
    return true;
  });

  const changed = await customers.update(
    { id },
    {
      add: { visits: 2 },
      set: { "address.city": "York" },
      delete: { tags: new Set(["new"]) },
      where: "${email} = {ines@example.com} and contains(${tags}, {gift})",
    },
  );
  assert.equal(changed.visits, 2);
  assert.deepEqual(changed.address, { city: "York", street: "1 High Street" });
  assert.deepEqual(changed.tags, new Set(["gift"]));
  await assert.rejects(customers.update({ id, visits: 9 }, { where: "${visits} > {5}" }), (error) => {
    assert.equal(error.code, "ConditionalCheckFailedException");
    return true;
  });
  await customers.remove({ id });
  assert.equal(await customers.get({ id }), undefined);
  await customers.create(made);
});

test("a partition and an index are queried", async () => {
  const { table, customers, orders } = await shop();
  const batch = {};
  const all = ["ines", "omar"].flatMap((id) => Array.from({ length: 12 }, (_, day) => order(id, day + 1)));
  for (const one of all) await orders.create(one, { batch, exists: null });
  assert.equal(await table.batchWrite(batch), true);
  await customers.create({ id: "ines", email: "ines@example.com" });

  const dear = await orders.find(
    { customer: "ines", SK: { between: ["ORDER#2026-11-03", "ORDER#2026-11-12"] } },
    { where: "${total} > {13.5}", reverse: true },
  );
  assert.deepEqual([...dear], [12, 11, 10].map((day) => order("ines", day)));

  const pages = [];
  let next;
  do {
    const page = await orders.find({ status: "OPEN" }, { index: "gs1", limit: 3, next });
    pages.push(page.map((one) => `${one.placed.slice(-2)} ${one.customer}`));
    next = page.next;
  } while (next);
  assert.deepEqual(pages.flat(), ["05 ines", "05 omar", "10 ines", "10 omar"]);
  assert.equal(pages[0].length, 3);

  const whole = await table.fetch(["Customer", "Order"], { PK: "CUSTOMER#ines" });
  assert.deepEqual([whole.Customer.length, whole.Order.length], [1, 12]);
  assert.equal((await orders.scan({}, { where: "${total} < {3}" })).length, 2);
  assert.equal((await orders.find({ customer: "omar" }, { count: true })).count, 12);

  const gets = {};
  for (const one of [order("ines", 1), order("omar", 12)]) await orders.get(one, { batch: gets });
  const read = await table.batchGet(gets, { parse: true, hidden: false });
  const found = read.map((one) => `${one.customer} ${one.total}`).sort();
  assert.deepEqual(found, ["ines 1.5", "omar 18"]);
});

test("a transaction is whole or not at all", async () => {
  const { table, customers, orders } = await shop();
  const write = async (day) => {
    const transaction = {};
    await orders.create(order("ines", day), { transaction });
    await customers.update({ id: "ines" }, { add: { visits: 1 }, transaction });
    await table.transact("write", transaction);
  };
  await assert.rejects(write(1), (error) => {
    assert.equal(error.code, "TransactionCanceledException");
    return true;
  });
  await customers.create({ id: "ines", email: "ines@example.com" });
  await write(1);
  await assert.rejects(write(1));
  assert.equal((await customers.get({ id: "ines" })).visits, 1);
  assert.deepEqual(await orders.get(order("ines", 1)), order("ines", 1));
});
