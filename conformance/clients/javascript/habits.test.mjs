// What the SDK does beside the requests: where it finds the endpoint, retries, checksums, connections.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { test } from "node:test";
import { crc32 } from "node:zlib";

import {
  DescribeEndpointsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-dynamodb";

import { customer, filled, key } from "./shop.mjs";

const url = process.env.AWS_ENDPOINT_URL;
const credentials = { accessKeyId: "any", secretAccessKey: "any" };

/** A client whose answers are seen as they came. */
function watched(note) {
  const client = new DynamoDBClient({});
  const watch = (next) => async (args) => {
    const result = await next(args);
    note(result.response);
    return result;
  };
  client.middlewareStack.add(watch, { step: "deserialize", priority: "low" });
  return client;
}

test("a stated endpoint, region and keys do without the environment", async () => {
  for (const endpoint of [url, url.replace("127.0.0.1", "localhost"), new URL(url).href]) {
    const client = new DynamoDBClient({ endpoint, region: "eu-central-1", credentials });
    const answer = await client.send(new DescribeEndpointsCommand({}));
    assert.deepEqual(answer.Endpoints, [
      { Address: "dynamodb.eu-central-1.amazonaws.com", CachePeriodInMinutes: 1440 },
    ]);
    client.destroy();
  }
});

test("no kind of retry repeats what was refused", async () => {
  for (const retryMode of ["standard", "adaptive"]) {
    const client = new DynamoDBClient({ retryMode, maxAttempts: 5 });
    await assert.rejects(client.send(new DescribeTableCommand({ TableName: "Nowhere" })), (error) => {
      assert.ok(error instanceof ResourceNotFoundException);
      assert.equal(error.message, "Requested resource not found: Table: Nowhere not found");
      assert.equal(error.$metadata.attempts, 1);
      assert.equal(error.$metadata.httpStatusCode, 400);
      assert.match(error.$metadata.requestId, /^[0-9A-Z]{52}$/);
      return true;
    });
    client.destroy();
  }
});

test("answers bear the checksum of their bytes", async () => {
  const name = await filled(new DynamoDBClient({}), { customers: 1, days: 0 });
  let checked = 0;
  const client = watched((response) => {
    const chunks = [];
    response.body.on("data", (chunk) => chunks.push(chunk));
    response.body.on("end", () => {
      assert.equal(Number(response.headers["x-amz-crc32"]), crc32(Buffer.concat(chunks)));
      checked += 1;
    });
  });
  await client.send(new GetItemCommand({ TableName: name, Key: key(customer(1)) }));
  assert.equal(checked, 1);
});

test("account endpoints give way to a stated endpoint", async () => {
  for (const accountIdEndpointMode of ["preferred", "disabled", "required"]) {
    const client = new DynamoDBClient({
      endpoint: url,
      accountIdEndpointMode,
      credentials: { ...credentials, accountId: "123456789012" },
    });
    await client.send(new ListTablesCommand({}));
    client.destroy();
  }
});

test("fifty requests at once share a few connections that are kept", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const client = new DynamoDBClient({ requestHandler: { httpAgent: agent } });
  const name = await filled(client, { customers: 0, days: 0 });
  const puts = Array.from({ length: 50 }, (_, number) =>
    client.send(new PutItemCommand({ TableName: name, Item: customer(number) })),
  );
  await Promise.all(puts);
  const sockets = Object.values(agent.freeSockets).flat();
  assert.ok(sockets.length >= 1 && sockets.length <= 4, `${sockets.length} connections are free`);
  const ports = sockets.map((socket) => socket.localPort).sort();
  await client.send(new GetItemCommand({ TableName: name, Key: key(customer(1)) }));
  const after = Object.values(agent.freeSockets).flat().map((socket) => socket.localPort).sort();
  assert.deepEqual(after, ports, "no connection was closed or added");
  client.destroy();
});

test("a client with compression on is answered", async () => {
  const client = new DynamoDBClient({ requestMinCompressionSizeBytes: 0, disableRequestCompression: false });
  const name = await filled(client, { customers: 0, days: 0 });
  const item = { ...customer(1), body: { S: "x".repeat(20_000) } };
  await client.send(new PutItemCommand({ TableName: name, Item: item }));
  const read = await client.send(new GetItemCommand({ TableName: name, Key: key(item) }));
  assert.deepEqual(read.Item, item);
});
