/** Weather and clock of the tab's engine: off until set, seen while on, and what each does to a request. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { announced, findings, openConsole, typeRequest, visitor } from "./studio";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function run(page: Page, receipt: number, operation: string, body: unknown): Promise<void> {
  await typeRequest(page, operation, body);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("region", { name: `Receipt ${receipt}`, exact: true }).waitFor();
}

/** The console with a table whose items have a time to live, and the panel open. */
async function withTable(page: Page): Promise<void> {
  await run(page, 1, "CreateTable", {
    TableName: "Notes",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    BillingMode: "PAY_PER_REQUEST",
  });
  await openPanel(page);
}

async function openPanel(page: Page): Promise<void> {
  await page.locator("#weather > summary").click();
  await page.getByRole("form", { name: "Weather and clock" }).waitFor();
}

async function set(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Set the weather" }).click();
}

const item = (id: string, more: object = {}): object => ({
  TableName: "Notes",
  Item: { id: { S: id }, ...more },
});

describe("the weather of the console", () => {
  it("throttles a put where the units run out, and says so beside the endpoint until it is fine again", async () => {
    const page = await openConsole(await visitor());
    await withTable(page);
    expect(await page.locator(".weather-sign").count()).toBe(0);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByLabel("Units there are").selectOption({ index: 2 });
    await set(page);
    await page.getByRole("button", { name: "Weather: throttling; clock stands" }).waitFor();
    await run(page, 2, "PutItem", item("a", { text: { S: "x".repeat(11_000) } }));
    await run(page, 3, "PutItem", item("a"));
    const receipt = page.getByRole("region", { name: "Receipt 3", exact: true });
    await receipt.getByText("Refused: ThrottlingException").waitFor();
    const happened = page.getByRole("region", { name: "What happened since it was set" });
    expect(await happened.locator("div", { hasText: "throttled" }).locator("dd").textContent()).toBe("1");
    await page.getByRole("button", { name: "Compare with receipt 2" }).click();
    await page.getByRole("region", { name: "Receipt 3 beside 2" }).getByText("No. 3: refused,").waitFor();
    // A second later there are units again.
    await page.getByRole("button", { name: "+1 min" }).click();
    await run(page, 4, "PutItem", item("a"));
    await page
      .getByRole("region", { name: "Receipt 4", exact: true })
      .getByText("The larger of the two is charged.")
      .waitFor();
    await page.getByRole("button", { name: "Fine weather" }).click();
    await page.getByRole("button", { name: "Clock is ahead" }).waitFor();
    expect(await page.getByLabel("Units there are").inputValue()).toBe("off");
  });

  it("lets an item expire when the clock is moved past its time", async () => {
    const page = await openConsole(await visitor());
    await withTable(page);
    await run(page, 2, "UpdateTimeToLive", {
      TableName: "Notes",
      TimeToLiveSpecification: { Enabled: true, AttributeName: "until" },
    });
    const week = Math.floor(Date.now() / 1000) + 7 * 24 * 3600;
    await run(page, 3, "PutItem", item("short", { until: { N: String(week) } }));
    await run(page, 4, "PutItem", item("long", { until: { N: String(week + 30 * 24 * 3600) } }));
    await page.getByRole("region", { name: /^Partition short/ }).waitFor();
    await page.getByRole("button", { name: "+8 days" }).click();
    await page.getByRole("region", { name: /^Partition short/ }).waitFor({ state: "detached" });
    expect(await page.getByRole("region", { name: /^Partition long/ }).count()).toBe(1);
    await page.getByText("The clock was moved forward by 8 days.").waitFor();
  });

  it("keeps eventually consistent reads behind, and strongly consistent ones not", async () => {
    const page = await openConsole(await visitor());
    await withTable(page);
    await page.getByLabel("Lag of tables").fill("soon");
    await set(page);
    await page.getByRole("alert").getByText("lag.table is a whole number from 0 to").waitFor();
    expect(await page.getByLabel("Lag of tables").getAttribute("aria-invalid")).toBe("true");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-invalid"))).toBe("true");
    await page.getByLabel("Lag of tables").fill("600000");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await set(page);
    await page.getByRole("button", { name: "Weather: lag; clock stands" }).waitFor();
    await run(page, 2, "PutItem", item("new"));
    const get = { TableName: "Notes", Key: { id: { S: "new" } } };
    await run(page, 3, "GetItem", get);
    expect(await announced(page)).toMatchObject({ returned: 0 });
    await run(page, 4, "GetItem", { ...get, ConsistentRead: true });
    expect(await announced(page)).toMatchObject({ returned: 1 });
    await page.getByRole("button", { name: "+1 h" }).click();
    await run(page, 5, "GetItem", get);
    expect(await announced(page)).toMatchObject({ returned: 1 });
  });

  it("goes along to another page of the tab, and not through a reload", async () => {
    const page = await openConsole(await visitor());
    await openPanel(page);
    await page.getByRole("combobox", { name: "Error", exact: true }).selectOption("ServiceUnavailable");
    await page.getByRole("combobox", { name: "Requests that fail" }).selectOption("Query");
    await set(page);
    await page.getByRole("button", { name: "Weather: errors" }).waitFor();
    await page.goto(new URL("/models/customer-orders/", page.url()).href);
    await page.getByRole("button", { name: "Weather: errors" }).click();
    expect(await page.getByRole("combobox", { name: "Error", exact: true }).inputValue()).toBe(
      "ServiceUnavailable",
    );
    await page.reload();
    await page.locator('.engine[data-state="ready"]').waitFor();
    expect(await page.locator(".weather-sign").count()).toBe(0);
  });

  it.each(["light", "dark"] as const)("axe finds nothing in the %s theme", async (colorScheme) => {
    const page = await openConsole(await visitor({ colorScheme, reducedMotion: "reduce" }));
    await openPanel(page);
    await page.getByLabel("Share of items left, 0 to 1").fill("often");
    await set(page);
    await page.getByRole("alert").getByText("weather.partialBatches is a share from 0 to 1").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByLabel("Share of items left, 0 to 1").fill("0.5");
    await set(page);
    await page.getByRole("button", { name: "Weather: partial batches" }).waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it("is opened by keys, and nothing scrolls sideways on a phone", async () => {
    const page = await openConsole(await visitor(PHONE));
    await page.locator("#weather > summary").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("form", { name: "Weather and clock" }).waitFor();
    await page.getByLabel("Lag of tables").fill("5");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Weather: lag" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
