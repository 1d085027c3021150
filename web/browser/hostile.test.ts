/** What strangers hand a reader is data: names and values are shown, and never become markup or a path. */
import { connect } from "node:net";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { complaintsUntilNow, open, openConsole, REFUSED, site, typeRequest, visitor } from "./studio";

/** Markup that would tell, if it ever became some. */
const MARKUP = `"'><img class=harm src=x onerror="window.harmed=1"><script>window.harmed=1</script>`;
/** The same in a column of a CSV. */
const QUOTED = `"${MARKUP.replaceAll('"', '""')}"`;

async function unharmed(page: Page): Promise<void> {
  expect(await page.locator(".harm").count()).toBe(0);
  expect(await page.evaluate(() => "harmed" in window)).toBe(false);
}

async function run(page: Page, receipt: number, operation: string, body: unknown): Promise<void> {
  await typeRequest(page, operation, body);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("region", { name: `Receipt ${receipt}`, exact: true }).waitFor();
}

it("what the policy refuses is a complaint, and fails the test that meets it", async () => {
  const page = await open(await visitor(), "/");
  await page.evaluate(
    () =>
      new Promise((refused) => {
        document.addEventListener("securitypolicyviolation", refused, { once: true });
        const image = document.createElement("img");
        image.src = "https://elsewhere.example/a.png";
        document.body.append(image);
      }),
  );
  const heard: string[] = [];
  const refusal = `${REFUSED}img-src https://elsewhere.example/a.png`;
  const refusals = (): string[] => {
    heard.push(...complaintsUntilNow());
    return heard.filter((complaint) => complaint.startsWith(refusal));
  };
  // Two policies refuse it: the answer's, and the page's own, which holds wherever the site is served from.
  await expect.poll(refusals).toHaveLength(2);
});

it("names and values of items, files and refused requests are text", async () => {
  const page = await openConsole(await visitor());
  await run(page, 1, "CreateTable", {
    TableName: "Things",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: MARKUP, AttributeType: "S" }],
    KeySchema: [{ AttributeName: MARKUP, KeyType: "HASH" }],
  });
  await run(page, 2, "PutItem", {
    TableName: "Things",
    Item: { [MARKUP]: { S: `${MARKUP}1` }, [`${MARKUP}a`]: { M: { [MARKUP]: { SS: [MARKUP] } } } },
  });
  await run(page, 3, "Scan", { TableName: "Things" });
  await page.locator("#plan").getByText(`${MARKUP}1`).first().waitFor();
  await unharmed(page);
  // The engine repeats what it refuses.
  await run(page, 4, "CreateTable", { TableName: MARKUP });
  await unharmed(page);
  await run(page, 5, "Query", { TableName: "Things", KeyConditionExpression: MARKUP });
  await unharmed(page);

  await page.getByRole("button", { name: "Load JSON or CSV" }).click();
  await page.getByLabel("File, JSON or CSV").setInputFiles({
    name: `${MARKUP.replaceAll("/", "")}.csv`,
    mimeType: "text/csv",
    buffer: Buffer.from(`${QUOTED},b\n${QUOTED},${QUOTED}\n`),
  });
  await page.getByRole("button", { name: /^Write 1 item/ }).click();
  await page.getByText("1 item written to Things.").waitFor();
  await unharmed(page);
  await page.reload();
  await page.locator("#plan").getByText(MARKUP).first().waitFor();
  await unharmed(page);
});

/** The first line of the answer to a path that no client would send, and its body. */
function raw(path: string): Promise<string> {
  const { hostname, port, host } = new URL(site());
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes.toString("latin1")));
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}

it("no path leads out of the site", async () => {
  const out = [
    "..",
    "%2e%2e",
    "%2E.",
    "..%2f",
    "..\\",
    "..%5c",
    "%252e%252e",
    "....//",
    "%c0%ae%c0%ae",
    "..;",
  ];
  const paths = out.flatMap((step) => [
    `/${`${step}/`.repeat(8)}etc/passwd`,
    `/models/${`${step}/`.repeat(8)}etc/passwd`,
  ]);
  paths.push(
    "//etc/passwd",
    "/etc/passwd",
    "/file:///etc/passwd",
    "/C:%5CWindows%5Cwin.ini",
    "/%00",
    "/models/%00/",
  );
  for (const path of paths) {
    const answer = await raw(path);
    expect(answer, path).toMatch(/^HTTP\/1\.1 (400|404) /);
    expect(answer, path).not.toContain("root:");
  }
  // An address with a host in it names the page behind it, and the host has to be this one.
  expect(await raw("http://evil.example/")).toMatch(/^HTTP\/1\.1 403 /);
  expect(await raw("file:///etc/passwd")).toMatch(/^HTTP\/1\.1 (400|403|404) /);
});
