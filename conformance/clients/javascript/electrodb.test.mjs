// ElectroDB: a shop in one table, through a service of two entities.

import assert from "node:assert/strict";
import { test } from "node:test";

import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CustomAttributeType, Entity, Service, createWriteTransaction } from "electrodb";

import { filled } from "./shop.mjs";

const client = new DynamoDBClient({});

/** The shop's entities on a table of their own. */
async function shop() {
  const table = await filled(client, { customers: 0, days: 0 });
  const main = { pk: { field: "PK", composite: ["customerId"] }, sk: { field: "SK", composite: [] } };
  const customers = new Entity(
    {
      model: { entity: "customer", version: "1", service: "shop" },
      attributes: {
        customerId: { type: "string", required: true },
        email: { type: "string", required: true, validate: /@/ },
        tags: { type: "set", items: "string" },
        address: { type: "map", properties: { city: { type: "string" }, street: { type: "string" } } },
        visits: { type: "number", default: 0 },
        photo: { type: CustomAttributeType("any") },
      },
      indexes: { profile: { ...main, collection: "account" } },
    },
    { client, table },
  );
  const orders = new Entity(
    {
      model: { entity: "order", version: "1", service: "shop" },
      attributes: {
        customerId: { type: "string", required: true },
        placed: { type: "string", required: true },
        status: { type: ["OPEN", "SHIPPED"], required: true },
        total: { type: "number", required: true },
        notes: { type: "list", items: { type: "string" } },
      },
      indexes: {
        placed: { ...main, sk: { field: "SK", composite: ["placed"] }, collection: "account" },
        byStatus: {
          index: "GSI1",
          pk: { field: "GSI1PK", composite: ["status"] },
          sk: { field: "GSI1SK", composite: ["placed", "customerId"] },
        },
      },
    },
    { client, table },
  );
  return { table, customers, orders, service: new Service({ customers, orders }, { client, table }) };
}

function order(customerId, day) {
  const placed = `2026-11-${String(day).padStart(2, "0")}`;
  return { customerId, placed, status: day % 5 === 0 ? "OPEN" : "SHIPPED", total: day * 1.5 };
}

test("an item is made, read, changed and removed", async () => {
  const { customers } = await shop();
  const made = {
    customerId: "ines",
    email: "ines@example.com",
    tags: ["gift", "new"],
    address: { city: "Leeds", street: "1 High Street" },
  };
  assert.deepEqual((await customers.create(made).go()).data, { ...made, visits: 0 });
  await assert.rejects(customers.create(made).go(), (error) => {
    assert.equal(error.cause.name, "ConditionalCheckFailedException");
    assert.equal(error.cause.message, "The conditional request failed");
    return true;
  });
  assert.deepEqual((await customers.get({ customerId: "ines" }).go({ consistent: true })).data, {
    ...made,
    visits: 0,
  });
  assert.equal((await customers.get({ customerId: "omar" }).go()).data, null);

  const changed = await customers
    .patch({ customerId: "ines" })
    .set({ "address.city": "York" })
    .add({ visits: 2 })
    .delete({ tags: ["new"] })
    .where(({ email }, { eq }) => eq(email, "ines@example.com"))
    .go({ response: "all_new" });
  assert.deepEqual(changed.data, {
    ...made,
    address: { city: "York", street: "1 High Street" },
    tags: ["gift"],
    visits: 2,
  });
  await assert.rejects(customers.patch({ customerId: "omar" }).set({ visits: 1 }).go(), (error) => {
    return error.cause.name === "ConditionalCheckFailedException";
  });
  const upserted = await customers
    .upsert({ customerId: "omar", email: "omar@example.com" })
    .add({ visits: 1 })
    .go({ response: "all_new" });
  assert.deepEqual(upserted.data, { customerId: "omar", email: "omar@example.com", visits: 1 });
  const removed = await customers.remove({ customerId: "omar" }).go({ response: "all_old" });
  assert.equal(removed.data.email, "omar@example.com");
  await assert.rejects(customers.remove({ customerId: "omar" }).go());
});

test("a partition, an index and a collection are queried", async () => {
  const { customers, orders, service } = await shop();
  const all = ["ines", "omar"].flatMap((id) => Array.from({ length: 20 }, (_, day) => order(id, day + 1)));
  const put = await orders.put(all).go({ concurrency: 2 });
  assert.deepEqual(put.unprocessed, []);
  await customers.put({ customerId: "ines", email: "ines@example.com" }).go();

  const between = await orders.query
    .placed({ customerId: "ines" })
    .between({ placed: "2026-11-03" }, { placed: "2026-11-14" })
    .where(({ total }, { gt }) => gt(total, 15))
    .go({ order: "desc" });
  assert.deepEqual(between.data, [14, 13, 12, 11].map((day) => order("ines", day)));

  const pages = [];
  let cursor = null;
  do {
    const page = await orders.query.byStatus({ status: "OPEN" }).go({ cursor, limit: 3 });
    pages.push(page.data.map((one) => `${one.placed.slice(-2)} ${one.customerId}`));
    cursor = page.cursor;
  } while (cursor !== null);
  assert.deepEqual(pages.flat(), [
    "05 ines", "05 omar", "10 ines", "10 omar", "15 ines", "15 omar", "20 ines", "20 omar",
  ]);
  assert.deepEqual(pages[0].length, 3);

  const account = await service.collections.account({ customerId: "ines" }).go();
  assert.equal(account.data.customers.length, 1);
  assert.deepEqual(account.data.orders, all.slice(0, 20));

  const keys = [order("ines", 1), order("omar", 20), order("nobody", 1)];
  const some = await orders.get(keys).go({ preserveBatchOrder: true });
  assert.deepEqual(some.data, [order("ines", 1), order("omar", 20), null]);
  const open = await orders.scan.where(({ status }, { eq }) => eq(status, "OPEN")).go({ pages: "all" });
  assert.equal(open.data.length, 8);
});

test("a transaction is whole or not at all", async () => {
  const { customers, orders } = await shop();
  await customers.create({ customerId: "ines", email: "ines@example.com" }).go();
  const write = (day) =>
    createWriteTransaction({ customers, orders }, (entities) => [
      entities.orders.create(order("ines", day)).commit({ response: "all_old" }),
      entities.customers.patch({ customerId: "ines" }).add({ visits: 1 }).commit(),
    ]).go();
  const first = await write(1);
  assert.equal(first.canceled, false);
  const second = await write(1);
  assert.equal(second.canceled, true);
  assert.deepEqual(
    second.data.map((result) => [result.rejected, result.code]),
    [[true, "ConditionalCheckFailed"], [false, "None"]],
  );
  assert.deepEqual(second.data[0].item, order("ines", 1));
  assert.equal((await customers.get({ customerId: "ines" }).go()).data.visits, 1);
});
