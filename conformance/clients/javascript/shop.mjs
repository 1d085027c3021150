// A shop in one table, as the tests keep it: customers and their orders, and an index by an order's
// status.
//
// | entity   | PK            | SK             | GSI1PK          | GSI1SK   |
// |----------|---------------|----------------|-----------------|----------|
// | customer | CUSTOMER#<id> | PROFILE        |                 |          |
// | order    | CUSTOMER#<id> | ORDER#<placed> | STATUS#<status> | <placed> |
//
// The clients find the endpoint, its region and their keys where programs do: in AWS_ENDPOINT_URL
// and its like.

import { BatchWriteItemCommand, CreateTableCommand } from "@aws-sdk/client-dynamodb";

export const ACCOUNT = "123456789012";

let tables = 0;

/** A table name that no other test has, on an endpoint that outlives this run as well. */
export function newName() {
  tables += 1;
  return `Shop-${process.pid}-${Date.now()}-${tables}`;
}

/** @param {string} name */
export function arn(name) {
  return `arn:aws:dynamodb:${process.env.AWS_REGION}:${ACCOUNT}:table/${name}`;
}

/** @param {string} partitionKey @param {string} sortKey */
function keys(partitionKey, sortKey) {
  return [
    { AttributeName: partitionKey, KeyType: "HASH" },
    { AttributeName: sortKey, KeyType: "RANGE" },
  ];
}

/** @param {string} name @returns {import("@aws-sdk/client-dynamodb").CreateTableCommandInput} */
export function schema(name) {
  return {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: ["GSI1PK", "GSI1SK", "PK", "SK"].map((attribute) => ({
      AttributeName: attribute,
      AttributeType: "S",
    })),
    KeySchema: keys("PK", "SK"),
    GlobalSecondaryIndexes: [
      { IndexName: "GSI1", KeySchema: keys("GSI1PK", "GSI1SK"), Projection: { ProjectionType: "ALL" } },
    ],
  };
}

/** @param {number} number */
export function customer(number) {
  return {
    PK: { S: `CUSTOMER#${number}` },
    SK: { S: "PROFILE" },
    email: { S: `c${number}@example.com` },
  };
}

/** The order of a day; every fourth day's is open, the others were shipped.
 * @param {number} number @param {number} day */
export function order(number, day) {
  const placed = `2026-11-${String(day).padStart(2, "0")}`;
  return {
    PK: { S: `CUSTOMER#${number}` },
    SK: { S: `ORDER#${placed}` },
    GSI1PK: { S: day % 4 === 0 ? "STATUS#OPEN" : "STATUS#SHIPPED" },
    GSI1SK: { S: placed },
    total: { N: String(100 - day) },
  };
}

/** @param {{PK: any, SK: any}} item */
export function key({ PK, SK }) {
  return { PK, SK };
}

/** Makes the table, with customers and their orders in it.
 * @param {import("@aws-sdk/client-dynamodb").DynamoDBClient} client
 * @param {{customers: number, days: number}} size */
export async function filled(client, { customers, days }) {
  const name = newName();
  await client.send(new CreateTableCommand(schema(name)));
  const items = [];
  for (let number = 1; number <= customers; number += 1) {
    items.push(customer(number));
    for (let day = 1; day <= days; day += 1) items.push(order(number, day));
  }
  for (let start = 0; start < items.length; start += 25) {
    const puts = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: puts } }));
  }
  return name;
}
