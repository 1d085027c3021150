// Streams and time to live, as the AWS SDK for JavaScript consumes them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";

import {
  CreateTableCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-dynamodb-streams";

import { arn, customer, key, newName, order, schema } from "./shop.mjs";

const client = new DynamoDBClient({});
const streams = new DynamoDBStreamsClient({});
const WAIT_SECONDS_MAX = 30;

/** A table with a stream: its name and the stream's ARN. */
async function withStream(view) {
  const name = newName();
  const StreamSpecification = { StreamEnabled: true, StreamViewType: view };
  await client.send(new CreateTableCommand({ ...schema(name), StreamSpecification }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  assert.deepEqual(Table.StreamSpecification, StreamSpecification);
  assert.equal(Table.LatestStreamArn, `${arn(name)}/stream/${Table.LatestStreamLabel}`);
  return { name, stream: Table.LatestStreamArn };
}

/** An iterator for each shard. */
async function iterators(stream, ShardIteratorType) {
  const found = [];
  let ExclusiveStartShardId;
  do {
    const described = await streams.send(
      new DescribeStreamCommand({ StreamArn: stream, Limit: 1, ExclusiveStartShardId }),
    );
    for (const { ShardId } of described.StreamDescription.Shards) {
      const start = await streams.send(
        new GetShardIteratorCommand({ StreamArn: stream, ShardId, ShardIteratorType }),
      );
      found.push(start.ShardIterator);
    }
    ExclusiveStartShardId = described.StreamDescription.LastEvaluatedShardId;
  } while (ExclusiveStartShardId);
  return found;
}

/** What the shards have left, in order of sequence, and iterators to go on with. */
async function drained(starts) {
  const records = [];
  const following = [];
  for (let ShardIterator of starts) {
    while (ShardIterator) {
      const page = await streams.send(new GetRecordsCommand({ ShardIterator, Limit: 2 }));
      records.push(...page.Records);
      ShardIterator = page.NextShardIterator;
      if (page.Records.length === 0) break;
    }
    if (ShardIterator) following.push(ShardIterator);
  }
  const number = (record) => BigInt(record.dynamodb.SequenceNumber);
  records.sort((a, b) => (number(a) < number(b) ? -1 : 1));
  return { records, following };
}

test("a stream is read from TRIM_HORIZON", async () => {
  const { name, stream } = await withStream("NEW_AND_OLD_IMAGES");
  const item = order(1, 1);
  const Key = key(item);
  await client.send(new PutItemCommand({ TableName: name, Item: item }));
  await client.send(
    new UpdateItemCommand({
      TableName: name,
      Key,
      UpdateExpression: "SET photo = :photo",
      ExpressionAttributeValues: { ":photo": { B: Uint8Array.of(0, 255) } },
    }),
  );
  await client.send(new DeleteItemCommand({ TableName: name, Key }));
  const { records } = await drained(await iterators(stream, "TRIM_HORIZON"));
  const changed = { ...item, photo: { B: Uint8Array.of(0, 255) } };
  assert.deepEqual(
    records.map(({ eventName, dynamodb }) => [eventName, dynamodb.Keys, dynamodb.OldImage, dynamodb.NewImage]),
    [
      ["INSERT", Key, undefined, item],
      ["MODIFY", Key, item, changed],
      ["REMOVE", Key, changed, undefined],
    ],
  );
  for (const record of records) {
    assert.match(record.eventID, /^[0-9a-f]{32}$/);
    assert.equal(record.eventSource, "aws:dynamodb");
    assert.equal(record.awsRegion, process.env.AWS_REGION);
    assert.equal(record.userIdentity, undefined);
    assert.ok(Math.abs(record.dynamodb.ApproximateCreationDateTime.valueOf() - Date.now()) < 60_000);
  }
  const listed = await streams.send(new ListStreamsCommand({ TableName: name }));
  assert.deepEqual(listed.Streams.map((one) => one.StreamArn), [stream]);
  const other = new DescribeStreamCommand({ StreamArn: `${stream}9` });
  await assert.rejects(streams.send(other), ResourceNotFoundException);
});

test("a stream is followed from LATEST", async () => {
  const { name, stream } = await withStream("KEYS_ONLY");
  await client.send(new PutItemCommand({ TableName: name, Item: customer(1) }));
  let { records, following } = await drained(await iterators(stream, "LATEST"));
  assert.deepEqual(records, []);
  await client.send(
    new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName: name, Item: customer(2) } },
        { Delete: { TableName: name, Key: key(customer(1)) } },
      ],
    }),
  );
  ({ records, following } = await drained(following));
  const told = records.map(({ eventName, dynamodb }) => `${eventName} ${dynamodb.Keys.PK.S}`).sort();
  assert.deepEqual(told, ["INSERT CUSTOMER#2", "REMOVE CUSTOMER#1"]);
  assert.ok(records.every(({ dynamodb }) => !dynamodb.NewImage && !dynamodb.OldImage));
  ({ records } = await drained(following));
  assert.deepEqual(records, []);
});

test("an item goes when its time is past, and its record says who removed it", async () => {
  const { name, stream } = await withStream("OLD_IMAGE");
  const TimeToLiveSpecification = { AttributeName: "expires", Enabled: true };
  const set = await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
  assert.deepEqual(set.TimeToLiveSpecification, TimeToLiveSpecification);
  const now = Math.floor(Date.now() / 1000);
  const past = { ...order(1, 1), expires: { N: `${now - 60}` } };
  const future = { ...order(1, 2), expires: { N: `${now + 3600}` } };
  for (const Item of [future, past]) await client.send(new PutItemCommand({ TableName: name, Item }));
  const end = Date.now() + WAIT_SECONDS_MAX * 1000;
  while ((await client.send(new GetItemCommand({ TableName: name, Key: key(past) }))).Item) {
    assert.ok(Date.now() < end, `it is there ${WAIT_SECONDS_MAX} s after its time`);
    await setTimeout(100);
  }
  assert.deepEqual((await client.send(new ScanCommand({ TableName: name }))).Items, [future]);
  const index = await client.send(new ScanCommand({ TableName: name, IndexName: "GSI1" }));
  assert.deepEqual(index.Items, [future]);
  const { records } = await drained(await iterators(stream, "TRIM_HORIZON"));
  assert.deepEqual(records.map((record) => record.eventName), ["INSERT", "INSERT", "REMOVE"]);
  const removal = records[2];
  assert.deepEqual(removal.userIdentity, { Type: "Service", PrincipalId: "dynamodb.amazonaws.com" });
  assert.deepEqual(removal.dynamodb.OldImage, past);
});
