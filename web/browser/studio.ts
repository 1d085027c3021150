/** A browser at the studio's model page, and what tests ask of it by accessible names. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import type { PageData } from "../src/contract";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let browser: Browser | undefined;
const contexts: BrowserContext[] = [];
/** What the pages of a test complained of: a refused style, a failed script, a missing file. */
let complaints: string[] = [];

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env["KEYPLAN_CHROMIUM"] ?? "/usr/bin/chromium",
    args: FLAGS,
  });
});
afterAll(() => browser?.close());
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  expect(complaintsUntilNow(), "complaints of the page").toEqual([]);
});

/** What pages complained of since this was last asked; what nobody asks for fails the test. */
export function complaintsUntilNow(): string[] {
  const heard = complaints;
  complaints = [];
  return heard;
}

/** A browser of its own, with storage of its own. Its pages keep no copy of the site, which would answer in the place
 *  of what a test puts there; `serviceWorkers: "allow"` lets them. */
export async function visitor(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  if (browser === undefined) throw new Error("the browser is not there yet");
  const context = await browser.newContext({
    viewport: { width: 1440, height: 1000 },
    serviceWorkers: "block",
    ...options,
  });
  contexts.push(context);
  return context;
}

/** The address of the site under test. */
export function site(path = "/"): string {
  return inject("studio") + path;
}

/** The design that the tests work on: one table, most of its questions a Query. */
export const DESIGN = "/models/customer-orders/";

/** What the test's own browser says where it keeps service workers off. */
const BLOCKED = "Service Worker registration blocked by Playwright";

/** What a page says where its policy refuses something, followed by what that was. */
export const REFUSED = "Refused by the policy: ";

/** Opens a page of the site, and hears what it complains of. */
export async function open(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  // Not every refusal is on the console, and which are is the browser's choice.
  await page.addInitScript((refused) => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(refused + [event.effectiveDirective, event.blockedURI, event.sourceFile].join(" "));
    });
  }, REFUSED);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && message.text() !== BLOCKED)
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(site(path));
  return page;
}

/** Opens the console alone, and waits until it has opened "my database". */
export async function openConsole(context: BrowserContext): Promise<Page> {
  const page = await open(context, "/console/");
  await page.getByText("Engine in this tab, data on OPFS").waitFor({ state: "attached" });
  return page;
}

/** Opens the first design's page; with scripts, waits until its engine is on. */
export async function openDesign(context: BrowserContext, scripts = true): Promise<Page> {
  const page = await open(context, DESIGN);
  if (scripts) await page.locator('.engine[data-state="ready"]').waitFor();
  return page;
}

/** The data that the page carries: what a model says stands there, never in a test. */
export async function dataOf(page: Page): Promise<PageData> {
  return JSON.parse((await page.locator("#page-data").textContent()) ?? "") as PageData;
}

/** Waits for the sentence of the live region and gives its three figures. */
export async function announced(page: Page): Promise<{ examined: number; returned: number; units: string }> {
  const sentence = /^([\d,]+) examined, ([\d,]+) returned, (.*)\.$/;
  const status = page.getByRole("status").filter({ hasText: sentence });
  await status.waitFor({ state: "attached" });
  const [, examined, returned, units] = sentence.exec((await status.textContent())?.trim() ?? "") ?? [];
  return { examined: Number(examined), returned: Number(returned), units: units ?? "" };
}

/** The figures of the legend above the plan. */
export async function legend(page: Page): Promise<{ examined: number; returned: number }> {
  const figures = await page.locator("#plan .legend b").allTextContents();
  return { examined: Number(figures[0]), returned: Number(figures[1]) };
}

/** The figure of a receipt's line. */
export async function receiptLine(page: Page, receipt: number, label: string): Promise<string> {
  const line = page.getByRole("region", { name: `Receipt ${receipt}`, exact: true }).locator(".lines > div");
  return (await line.filter({ hasText: label }).locator("dd").first().textContent()) ?? "";
}

/** Types a request: the operation, and the body in place of what stands in the editor. */
export async function typeRequest(page: Page, operation: string, body: unknown): Promise<void> {
  await page.getByRole("tab", { name: "JSON" }).first().click();
  await page.getByRole("combobox", { name: "Operation" }).selectOption(operation);
  const editor = page.getByRole("textbox", { name: /^Request body/ });
  await editor.click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(typeof body === "string" ? body : JSON.stringify(body, null, 2));
}

/** The plan's text, without what a request marked. */
export async function planText(page: Page): Promise<string> {
  return (await page.locator("#plan .rooms").innerText()).replace(/\s+/g, " ");
}

interface Findings {
  readonly violations: readonly { id: string; nodes: readonly { html: string; failureSummary?: string }[] }[];
}

/** What axe finds, in words that say where. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: { run(): Promise<Findings> } }).axe.run(),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
