/** The engine's worker ended under a request, by the reader's Stop or by a panic, and a browser without OPFS. */
import type { BrowserContext, Page, Worker } from "playwright-core";
import { describe, expect, it } from "vitest";
import { dataOf, openDesign, planText, typeRequest, visitor } from "./studio";

/** The page's one worker, with the engine in it. */
function engineOf(page: Page): Worker {
  const [worker] = page.workers();
  if (worker === undefined) throw new Error("the page has no worker");
  return worker;
}

/** Types a put of an item like the design's first, with a sort key of its own, and sends it. */
async function put(page: Page, sortKey: string): Promise<void> {
  const { tables, inspections } = await dataOf(page);
  const [inspection] = inspections;
  const heading = inspection?.key.sort?.name ?? "";
  const item = inspection?.partitions[0]?.items[0]?.item;
  await typeRequest(page, "PutItem", { TableName: tables[0], Item: { ...item, [heading]: { S: sortKey } } });
  await page.keyboard.press("Control+Enter");
}

function heading(page: Page, sortKey: string): ReturnType<Page["getByRole"]> {
  return page.getByRole("rowheader", { name: sortKey });
}

async function copyAndShow(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Copy into my database" }).click();
  await page.getByRole("button", { name: "Show my database" }).click();
  await page.getByText("Engine in this tab, data").waitFor();
}

async function reloadToMine(page: Page): Promise<void> {
  await page.reload();
  await page.locator('.engine[data-state="ready"]').waitFor();
  await page.getByRole("combobox", { name: "Endpoint" }).selectOption("My database");
}

/** From its next write on, the worker never comes back from OPFS: it hangs in the midst of a commit. */
function hangInWrite(worker: Worker): Promise<void> {
  return worker.evaluate(() => {
    FileSystemSyncAccessHandle.prototype.write = () => {
      for (;;);
    };
  });
}

/** From its next request on, the worker is busy without end. */
function hangInRequest(worker: Worker): Promise<void> {
  return worker.evaluate(() => {
    Math.random = () => {
      for (;;);
    };
  });
}

/** At its next request the engine meets what its own panics are: a trap, which leaves no frame as it was. */
function trapInRequest(worker: Worker): Promise<void> {
  return worker.evaluate(() => {
    Math.random = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
  });
}

describe("the engine starts again on the same data", () => {
  it("after Stop in the midst of a write to my database", async () => {
    const page = await openDesign(await visitor());
    await copyAndShow(page);
    await put(page, "ANSWERED");
    await heading(page, "ANSWERED").waitFor();
    await reloadToMine(page);
    await heading(page, "ANSWERED").waitFor();
    const before = await planText(page);

    await hangInWrite(engineOf(page));
    await put(page, "INTERRUPTED");
    await page.getByRole("button", { name: /^Stop/ }).click();
    await page.getByText("The request was stopped.").waitFor();
    // The browser takes some seconds to end a busy worker; until then it holds the file.
    await page.getByRole("button", { name: "Send it again" }).click();
    await heading(page, "INTERRUPTED").waitFor();
    await page.getByRole("button", { name: /^Undo No/ }).click();
    await heading(page, "INTERRUPTED").waitFor({ state: "detached" });
    expect(await planText(page)).toBe(before);

    await reloadToMine(page);
    await heading(page, "ANSWERED").waitFor();
    expect(await planText(page)).toBe(before);
  });

  it("after a panic, in my database and in the design", async () => {
    const page = await openDesign(await visitor());
    await put(page, "IN THE DESIGN");
    await heading(page, "IN THE DESIGN").waitFor();
    const design = await planText(page);
    await copyAndShow(page);
    await put(page, "IN MINE");
    await heading(page, "IN MINE").waitFor();

    await trapInRequest(engineOf(page));
    await put(page, "NEVER");
    await page.getByText("The engine stopped and was started again.").waitFor();
    await put(page, "AFTERWARDS");
    await heading(page, "AFTERWARDS").waitFor();
    expect(await heading(page, "IN MINE").count(), "what was answered is in my database").toBe(1);
    expect(await heading(page, "NEVER").count(), "what was not answered is not").toBe(0);
    await page.getByRole("combobox", { name: "Endpoint" }).selectOption("This tab");
    await heading(page, "IN THE DESIGN").waitFor();
    expect(await planText(page)).toBe(design);
  });

  it("after Stop under a request to the design", async () => {
    const page = await openDesign(await visitor());
    await put(page, "ANSWERED");
    await heading(page, "ANSWERED").waitFor();
    await hangInRequest(engineOf(page));
    await put(page, "INTERRUPTED");
    await page.getByRole("button", { name: /^Stop/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("The request was stopped.").waitFor();
    await put(page, "AFTERWARDS");
    await heading(page, "AFTERWARDS").waitFor();
    expect(await heading(page, "ANSWERED").count()).toBe(1);
    expect(await heading(page, "INTERRUPTED").count()).toBe(0);
  });
});

/** Browsers whose workers get no private files: an old one, and one that refuses them in a private window. */
const WITHOUT = [
  { browser: "has no OPFS", missing: "delete FileSystemFileHandle.prototype.createSyncAccessHandle;" },
  {
    browser: "refuses OPFS",
    missing:
      "StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException('no', 'SecurityError'));",
  },
];

/** Every worker of a visitor starts with a line of its own. */
async function startWorkersWith(context: BrowserContext, line: string): Promise<void> {
  await context.route(/\/worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${line}\n${await response.text()}` });
  });
}

describe.each(WITHOUT)("in a browser that $browser", ({ missing }) => {
  it("my database is in memory, the page says so, and a stop keeps it", async () => {
    const context = await visitor();
    await startWorkersWith(context, missing);
    const page = await openDesign(context);
    await copyAndShow(page);
    await page.getByText("Engine in this tab, data in memory").waitFor();
    await page.getByText("so my database is in memory: it ends with this tab.").waitFor();
    await put(page, "MINE");
    await heading(page, "MINE").waitFor();
    await trapInRequest(engineOf(page));
    await put(page, "NEVER");
    await page.getByText("The engine stopped and was started again.").waitFor();
    await put(page, "AFTERWARDS");
    await heading(page, "AFTERWARDS").waitFor();
    expect(await heading(page, "MINE").count()).toBe(1);

    await reloadToMine(page);
    await page.getByText("There are no tables here.").waitFor();
  });
});
