/** Who may use the endpoint: pages of other origins, in a real browser. */
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command } from "./serving";

const TABLE = "Guarded";
const SIGNED = {
  Authorization:
    "AWS4-HMAC-SHA256 Credential=key/20261130/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
  "X-Amz-Date": "20261130T000000Z",
};

/** What a page got of an answer: nothing, or what it can read of it. */
interface Seen {
  read: string | null;
}

let pages: Server;
let browser: Browser;
let keyplan: ChildProcess;
let endpoint = "";
let control = "";
let port = 0;

beforeAll(async () => {
  pages = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end("<!doctype html><title>A page of somebody</title>");
  });
  await new Promise<void>((listening) => pages.listen(0, "127.0.0.1", listening));
  port = (pages.address() as AddressInfo).port;
  keyplan = spawn(
    command(),
    ["serve", "--port", "0", "--control=0", "--allow-origin", `http://friend.example:${port}`],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  if (keyplan.stdout === null) throw new Error("no pipe");
  for await (const line of createInterface({ input: keyplan.stdout })) {
    if (line.startsWith("Keyplan endpoint: ")) endpoint = line.slice("Keyplan endpoint: ".length);
    if (!line.startsWith("Keyplan control: ")) continue;
    control = line.slice("Keyplan control: ".length);
    break;
  }
  browser = await chromium.launch({
    executablePath: process.env["KEYPLAN_CHROMIUM"] ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--host-resolver-rules=MAP *.example 127.0.0.1",
      // What this browser would refuse by itself is not what is tested; others don't.
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
    ],
  });
  await call("CreateTable", {
    TableName: TABLE,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
  await call("PutItem", put("secret"));
});

afterAll(async () => {
  await browser?.close();
  keyplan?.kill("SIGTERM");
  pages?.close();
});

/** A call from a program, which no rule of browsers holds back. */
async function call(operation: string, body: unknown): Promise<unknown> {
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: headers(operation),
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.json();
}

function headers(operation: string): Record<string, string> {
  const target = `DynamoDB_20120810.${operation}`;
  return { ...SIGNED, "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": target };
}

function put(id: string): object {
  return { TableName: TABLE, Item: { id: { S: id } } };
}

async function ids(): Promise<string[]> {
  const { Items } = (await call("Scan", { TableName: TABLE })) as { Items: { id: { S: string } }[] };
  return Items.map(({ id }) => id.S).sort();
}

async function pageOf(host: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`http://${host}:${port}/`);
  return page;
}

/** Sends a request from a page's script. */
function send(page: Page, url: string, init: object): Promise<Seen> {
  return page.evaluate(
    async ([address, options]) => {
      try {
        const answer = await fetch(address as string, options as RequestInit);
        return { read: answer.type === "opaque" ? null : `${answer.status} ${await answer.text()}` };
      } catch {
        return { read: null };
      }
    },
    [url, init],
  );
}

/** A call as an SDK in the page would make it: the browser asks first. */
function preflighted(page: Page, operation: string, body: object): Promise<Seen> {
  return send(page, endpoint, { method: "POST", headers: headers(operation), body: JSON.stringify(body) });
}

describe("a page of an origin that was not allowed", () => {
  it("reads nothing and writes nothing, whatever kind of request it sends", async () => {
    const page = await pageOf("evil.example");
    const body = JSON.stringify(put("evil"));
    const query = new URLSearchParams({
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": "key/20261130/us-east-1/dynamodb/aws4_request",
      "X-Amz-Signature": "0",
      "X-Amz-SignedHeaders": "host",
      "X-Amz-Date": "20261130T000000Z",
      "X-Amz-Target": "DynamoDB_20120810.PutItem",
    });
    const simple = { method: "POST", headers: { "Content-Type": "text/plain" }, body };
    const seen = [
      await preflighted(page, "PutItem", put("evil")),
      await preflighted(page, "Scan", { TableName: TABLE }),
      await send(page, endpoint, simple),
      await send(page, `${endpoint}/?${query}`, simple),
      await send(page, endpoint, { ...simple, mode: "no-cors" }),
      await send(page, `${endpoint}/?${query}`, { ...simple, mode: "no-cors" }),
      await send(page, endpoint, { method: "GET" }),
      await send(page, endpoint, { method: "GET", mode: "no-cors" }),
      await send(page, `${endpoint}/health`, { method: "GET" }),
    ];
    expect(seen.map(({ read }) => read)).toEqual(seen.map(() => null));
    await page.evaluate(([address, text]) => navigator.sendBeacon(address as string, text), [endpoint, body]);
    expect(await submitted(page, `${endpoint}/?${query}`, body)).toContain("403");
    expect(await ids()).toEqual(["secret"]);
  });

  it("can not use a name of its own that leads to this machine", async () => {
    // The page came from a server of its own, by a name that leads to the endpoint from now on.
    const page = await browser.newPage();
    const own = `http://evil.example:${new URL(endpoint).port}`;
    await page.route(`${own}/page`, (route) => route.fulfill({ contentType: "text/html", body: "" }));
    await page.goto(`${own}/page`);
    const { read } = await send(page, "/", {
      method: "POST",
      headers: headers("PutItem"),
      body: JSON.stringify(put("evil")),
    });
    expect(read).toMatch(/^403 .*--allow-host evil\.example/);
    expect(await ids()).toEqual(["secret"]);
  });
});

describe("a page of an origin that was allowed", () => {
  it("reads and writes as any client", async () => {
    const page = await pageOf("friend.example");
    expect((await preflighted(page, "PutItem", put("friend"))).read).toBe("200 {}");
    expect((await preflighted(page, "Scan", { TableName: TABLE })).read).toContain('"secret"');
    expect(await ids()).toEqual(["friend", "secret"]);
    await call("DeleteItem", { TableName: TABLE, Key: { id: { S: "friend" } } });
  });
});

describe("the control address", () => {
  it("is for no page at all", async () => {
    for (const host of ["evil.example", "friend.example", "localhost"]) {
      const page = await pageOf(host);
      for (const mode of ["cors", "no-cors"]) {
        const reset = { method: "POST", headers: { "Content-Type": "text/plain" }, body: "{}", mode };
        expect((await send(page, `${control}/reset`, reset)).read, host).toBeNull();
        expect((await send(page, `${control}/report`, { method: "GET", mode })).read, host).toBeNull();
      }
      expect(await submitted(page, `${control}/reset`, "{}"), host).toContain("403");
    }
    expect(await ids()).toEqual(["secret"]);
  });
});

/** Submits a form to an address, and gives the status that the browser then shows. */
async function submitted(page: Page, url: string, body: string): Promise<string> {
  const shown = page.waitForResponse((response) => response.request().method() === "POST");
  await page.evaluate(
    ([address, text]) => {
      const form = document.createElement("form");
      form.method = "post";
      form.enctype = "text/plain";
      form.action = address as string;
      const field = document.createElement("input");
      field.name = text as string;
      form.append(field);
      document.body.append(form);
      form.submit();
    },
    [url, body],
  );
  return String((await shown).status());
}
