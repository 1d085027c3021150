// Sends requests to the engine inside a worker, as fast as it answers, for `cargo xtask bench tab`. The package with
// SQLite lies beside.
import init, { Tab } from "./keyplan_browser_files.js";

const TABLE = {
  TableName: "Orders",
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
  ],
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
};
/** Requests between two looks at the clock. */
const BURST = 20;
/** Items that requests choose from. */
const ITEMS = 10_000;

const bytes = (value) => new TextEncoder().encode(JSON.stringify(value));
const key = (number) => ({
  pk: { S: `CUSTOMER#${String(number).padStart(8, "0")}` },
  sk: { S: `ORDER#${String(number % 20).padStart(6, "0")}` },
});
const item = (number) => ({ ...key(number), amount: { N: String(number) }, text: { S: "x".repeat(330) } });

const kinds = {
  PutItem: (number) => bytes({ TableName: "Orders", Item: item(number) }),
  GetItem: (number) => bytes({ TableName: "Orders", Key: key(number) }),
};

/** What an answer to a request has to be. */
function check(operation, number, answer) {
  const body = new TextDecoder().decode(answer.body);
  const wanted = operation === "GetItem" ? JSON.stringify(String(number)) : "{}";
  if (answer.status !== 200 || !body.includes(wanted)) throw new Error(`${operation} answered ${body}`);
}

async function run({ store, operation, seconds, together }) {
  await init();
  const tab = new Tab();
  if (store === "memory") tab.open_memory("bench");
  else if (!(await tab.open_opfs("bench", `bench-${Date.now()}/orders.db`)))
    throw new Error("the file is held");
  const send = (name, body) =>
    tab.dispatch("bench", `DynamoDB_20120810.${name}`, body, Date.now(), false, undefined);
  check("CreateTable", "", { status: send("CreateTable", bytes(TABLE)).status, body: bytes({}) });
  // Bodies are made before, as a page makes them.
  const bodies = Array.from({ length: ITEMS }, (_, number) => kinds[operation](number));
  if (operation === "GetItem")
    for (let number = 0; number < ITEMS; number += 1) send("PutItem", kinds.PutItem(number)).free();
  let [sent, elapsed] = [0, 0];
  const begun = performance.now();
  while (elapsed < seconds * 1_000) {
    for (let burst = 0; burst < (together ?? BURST); burst += 1, sent += 1) {
      const number = (sent * 7_919) % ITEMS;
      const answer = send(operation, bodies[number]);
      check(operation, number, answer);
      answer.free();
    }
    // As the worker of a page does it: requests that are there together are synced together, then answered.
    if (together !== undefined) tab.sync("bench");
    elapsed = performance.now() - begun;
  }
  tab.close("bench");
  return Math.round((sent * 1_000) / elapsed);
}

onmessage = async ({ data }) => {
  try {
    postMessage({ rate: await run(data) });
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
