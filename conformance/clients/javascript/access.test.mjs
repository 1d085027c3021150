// `keyplan serve --credentials`: the AWS SDK for JavaScript is let in with the right keys, and told why with others.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import { DynamoDBClient, GetItemCommand, ListTablesCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient, ListStreamsCommand } from "@aws-sdk/client-dynamodb-streams";

import { filled } from "./shop.mjs";

const KEY = { accessKeyId: "FIRST", secretAccessKey: "se/cr+et/of/the/first" };
const SESSION = { accessKeyId: "SECOND", secretAccessKey: "another", sessionToken: "to/ken+of=the=second" };
const FILE = `\
[default]
aws_access_key_id = ${KEY.accessKeyId}
aws_secret_access_key = ${KEY.secretAccessKey}

[session]
aws_access_key_id = ${SESSION.accessKeyId}
aws_secret_access_key = ${SESSION.secretAccessKey}
aws_session_token = ${SESSION.sessionToken}
`;
const ANNOUNCEMENT = "Keyplan endpoint: ";

let folder;
let keyplan;
let endpoint;

/** The command that KEYPLAN_BINARY names, else the newest that was built. */
function command() {
  const target = join(import.meta.dirname, "../../../target");
  const built = ["release", "debug"].map((profile) => join(target, profile, "keyplan")).filter(existsSync);
  const [newest] = built.sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs);
  return process.env.KEYPLAN_BINARY ?? newest;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyplan-access-"));
  const credentials = join(folder, "credentials");
  writeFileSync(credentials, FILE);
  keyplan = spawn(command(), ["serve", "--port", "0", "--credentials", credentials], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: keyplan.stdout })) {
    if (!line.startsWith(ANNOUNCEMENT)) continue;
    endpoint = line.slice(ANNOUNCEMENT.length);
    return;
  }
  throw new Error("`keyplan serve` ended without saying where it is");
});

after(() => {
  keyplan?.kill("SIGTERM");
  rmSync(folder, { recursive: true });
});

function client(credentials, Client = DynamoDBClient) {
  return new Client({ endpoint, credentials, maxAttempts: 1 });
}

test("the right keys are let in", async () => {
  const signed = client(KEY);
  const TableName = await filled(signed, { customers: 0, days: 0 });
  const Item = { PK: { S: "é" }, SK: { S: "/ +%" }, text: { S: "ü".repeat(100_000) } };
  await signed.send(new PutItemCommand({ TableName, Item }));
  const { PK, SK } = Item;
  assert.deepEqual((await signed.send(new GetItemCommand({ TableName, Key: { PK, SK } }))).Item, Item);
  const { TableNames } = await client(SESSION).send(new ListTablesCommand({}));
  assert.ok(TableNames.includes(TableName));
  await client(KEY, DynamoDBStreamsClient).send(new ListStreamsCommand({}));
});

const MISMATCH = /^The request signature we calculated does not match the signature you provided\./;
const UNKNOWN = /^The security token included in the request is invalid\./;
const OTHERS = [
  ["a wrong secret", { ...KEY, secretAccessKey: "wrong" }, "InvalidSignatureException", MISMATCH],
  ["an unknown key", { ...KEY, accessKeyId: "NOBODY" }, "UnrecognizedClientException", UNKNOWN],
  ["a token too many", { ...KEY, sessionToken: "a token" }, "UnrecognizedClientException", UNKNOWN],
  ["no token", { ...SESSION, sessionToken: undefined }, "UnrecognizedClientException", UNKNOWN],
];

for (const [what, credentials, name, message] of OTHERS) {
  test(`${what} is refused in the service's words`, async () => {
    await assert.rejects(client(credentials).send(new ListTablesCommand({})), { name, message });
  });
}
