/** The console: forms, JSON with its checks, commands, items, files and tables, on a design and alone. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { announced, dataOf, findings, openConsole, openDesign, typeRequest, visitor } from "./studio";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Makes a table by form, with an index, in the console's own database. */
async function makeTable(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New table" }).click();
  const form = page.getByRole("form", { name: "New table" });
  await form.getByLabel("Table’s name").fill("Trips");
  await form.getByLabel("Partition key", { exact: true }).fill("port");
  await form.getByLabel("Sort key", { exact: true }).fill("leaves");
  await form.getByRole("button", { name: "Add an index" }).click();
  await form.getByLabel("Index 1", { exact: true }).fill("ByShip");
  await form.getByLabel("Index 1: partition key", { exact: true }).fill("ship");
  await form.getByRole("button", { name: "Create table" }).click();
  await page.getByText("Trips has no items.").waitFor();
}

const CSV = [
  "port,leaves,ship,cabins,full",
  "kiel,2026-01-01,Halcyon,12,false",
  "kiel,2026-01-02,Petrel,9,true",
  "visby,2026-01-01,Halcyon,3,false",
  "turku,,Petrel,1,true",
].join("\n");

/** Loads the CSV's items into the table. */
async function loadItems(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Load JSON or CSV" }).click();
  await page.getByLabel("File, JSON or CSV").setInputFiles({
    name: "trips.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(CSV),
  });
  await page.getByText("3 items in trips.csv").waitFor();
  await page.getByText("it has no leaves, which the table's key needs").waitFor();
  await page.getByRole("button", { name: "Write 3 items" }).click();
  await page.getByText("3 items written to Trips.").waitFor();
}

async function runForm(page: Page, receipt: number): Promise<void> {
  await page.keyboard.press("Control+Enter");
  await page.getByRole("region", { name: `Receipt ${receipt}`, exact: true }).waitFor();
}

function editor(page: Page): ReturnType<Page["getByRole"]> {
  return page.getByRole("textbox", { name: /^Request body/ });
}

describe("the console alone", () => {
  it("makes a table by form, loads a CSV, asks an index, and has it all after a reload", async () => {
    const page = await openConsole(await visitor());
    await makeTable(page);
    await loadItems(page);
    // The batch's items are marked as written, in the table.
    expect(await page.locator("#plan .rooms").getByText("written by No. 2").count()).toBe(3);
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByRole("combobox", { name: "Table", exact: true }).selectOption("Trips");
    await page.getByRole("combobox", { name: "Index", exact: true }).selectOption("ByShip");
    await page.getByLabel("Partition key ship").fill("Halcyon");
    await runForm(page, 3);
    expect(await announced(page)).toMatchObject({ examined: 2, returned: 2 });
    const overlay = page.getByRole("region", { name: "Index ByShip, laid over" });
    await overlay.getByRole("region", { name: "Partition Halcyon: 2 examined, 2 returned" }).waitFor();
    // Form and JSON are one request.
    await page.getByRole("tab", { name: "JSON" }).first().click();
    await editor(page).getByText('"ByShip"').waitFor();
    expect(await page.locator(".block .facts").textContent()).toContain("TablesTrips");
    expect(await page.locator(".block .no b").textContent()).toBe("4");

    await page.reload();
    await page.getByRole("region", { name: "Partition kiel" }).waitFor();
    expect(await page.getByText("Engine in this tab, data on OPFS").count()).toBe(1);
  });

  it("edits an item in the table, deletes it, and takes that back", async () => {
    const page = await openConsole(await visitor());
    await makeTable(page);
    await loadItems(page);
    await page.getByRole("button", { name: "2026-01-02", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Item of Trips" });
    const text = dialog.getByLabel("Item as JSON");
    expect(JSON.parse(await text.inputValue())).toMatchObject({ port: "kiel", cabins: 9, full: true });
    await text.fill((await text.inputValue()).replace("9", "10"));
    await dialog.getByRole("button", { name: /^Save/ }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("region", { name: "Receipt 3", exact: true }).getByText("PutItem").waitFor();
    await page.getByRole("button", { name: "2026-01-02", exact: true }).click();
    expect(JSON.parse(await text.inputValue())).toMatchObject({ cabins: 10 });
    await dialog.getByRole("button", { name: "Typed" }).click();
    expect(JSON.parse(await text.inputValue())).toMatchObject({ cabins: { N: "10" } });
    await dialog.getByRole("button", { name: "Delete item" }).click();
    await page.getByRole("button", { name: "2026-01-02", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo No. 4" }).click();
    await page.getByRole("button", { name: "2026-01-02", exact: true }).waitFor();

    await page.getByRole("button", { name: "New item" }).click();
    const fresh = page.getByRole("dialog", { name: "New item of Trips" });
    await fresh.getByLabel("Item as JSON").fill("{oops");
    await fresh.getByRole("button", { name: /^Save/ }).click();
    await fresh.getByRole("alert").getByText("Line 1: a name in quotes").waitFor();
  });

  it("lays two receipts beside each other, and says how many times the one cost the other", async () => {
    const page = await openConsole(await visitor());
    await makeTable(page);
    await loadItems(page);
    await typeRequest(page, "Scan", { TableName: "Trips" });
    await runForm(page, 3);
    await typeRequest(page, "Scan", { TableName: "Trips", ConsistentRead: true });
    await runForm(page, 4);
    await page.getByRole("button", { name: "Compare with receipt 3" }).click();
    const both = page.getByRole("region", { name: "Receipt 4 beside 3" });
    await both.getByText("2×").waitFor();
    await page.getByRole("button", { name: "Look at receipt 3" }).click();
    await page.getByRole("heading", { name: "Answer to No. 3" }).waitFor();
  });

  it.each(["light", "dark"] as const)(
    "axe finds nothing in the %s theme, whatever is open",
    async (colorScheme) => {
      const page = await openConsole(await visitor({ colorScheme, reducedMotion: "reduce" }));
      expect(await findings(page)).toEqual([]);
      await makeTable(page);
      await loadItems(page);
      await page.getByRole("button", { name: "Copy as code" }).click();
      await page
        .getByRole("group", { name: "Index laid over" })
        .getByRole("button", { name: "ByShip" })
        .click();
      await page.getByRole("region", { name: "Index ByShip, laid over" }).waitFor();
      expect(await findings(page)).toEqual([]);
      await typeRequest(page, "Scan", { TableName: "Trips", Oops: 1 });
      await page.getByRole("button", { name: "Paste a command" }).click();
      await runForm(page, 3);
      expect(await findings(page)).toEqual([]);
      await page.getByRole("button", { name: "New item" }).click();
      expect(await findings(page)).toEqual([]);
    },
  );

  it("nothing scrolls sideways on a phone, and the plan is a sheet", async () => {
    const page = await openConsole(await visitor(PHONE));
    const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
    await makeTable(page);
    await loadItems(page);
    expect(await width()).toBe(390);
    const bar = page.getByRole("navigation", { name: "Parts of this page" });
    await bar.getByRole("link", { name: /^Plan/ }).click();
    await page.locator("#plan.as-sheet").waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("plan");
    await bar.getByRole("link", { name: /^Plan/ }).click();
    expect(await page.locator("#plan.as-sheet").count()).toBe(0);
    await page.getByRole("tab", { name: "JSON" }).first().click();
    await page.getByRole("button", { name: "Paste a command" }).click();
    expect(await width()).toBe(390);
  });
});

describe("the JSON", () => {
  it("is checked as it is typed, and completed", async () => {
    const page = await openDesign(await visitor());
    const { tables } = await dataOf(page);
    await typeRequest(page, "Scan", { TableName: tables[0], FilterExpression: "a = :a", Limt: 1 });
    await page
      .getByText("FilterExpression uses :a, and ExpressionAttributeValues does not define it.")
      .waitFor();
    await page.getByText("Scan has no member Limt. The service would pass over it.").waitFor();
    await typeRequest(page, "Query", "{\n  \n}");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.type('"KeyCond');
    const option = page.getByRole("option", { name: /KeyConditionExpression/ });
    await option.waitFor();
    await page.keyboard.press("Enter");
    await editor(page).getByText("KeyConditionExpression").waitFor();
  });

  it("is plain or typed, and one request both ways", async () => {
    const page = await openDesign(await visitor());
    const { inspections } = await dataOf(page);
    const [inspection] = inspections;
    const item = inspection?.partitions[0]?.items[0]?.item;
    const keys = [inspection?.key.partition.name ?? "", inspection?.key.sort?.name ?? ""].filter(
      (name) => name !== "",
    );
    const Key = Object.fromEntries(keys.map((name) => [name, item?.[name]]));
    await typeRequest(page, "GetItem", { TableName: inspection?.table, Key });
    await page.getByRole("button", { name: "Plain", exact: true }).click();
    const [first] = keys;
    await editor(page).getByText(`"${first}"`).waitFor();
    expect(await editor(page).textContent()).not.toContain('"S"');
    await editor(page).focus();
    await page.keyboard.press("Control+Enter");
    expect(await announced(page)).toMatchObject({ examined: 1, returned: 1 });
    await page.getByRole("button", { name: "Typed", exact: true }).click();
    await editor(page).getByText('"S"').first().waitFor();
  });
});

describe("a command", () => {
  it("that is pasted becomes a request, and what it needs from a file is refused", async () => {
    const page = await openDesign(await visitor());
    const { tables } = await dataOf(page);
    await page.getByRole("button", { name: "Paste a command" }).click();
    const command = page.getByLabel("AWS CLI command");
    await command.fill("aws dynamodb put-item --table-name T --item file://item.json");
    await page.getByRole("button", { name: "Take the command" }).click();
    await page.getByRole("alert").getByText("--item names a file").waitFor();
    await command.fill(
      `aws dynamodb scan \\\n  --table-name ${tables[0]} \\\n  --limit 2 --region eu-west-1`,
    );
    await page.getByRole("button", { name: "Take the command" }).click();
    await page.getByText("Taken from the command, without --region").waitFor();
    await page.getByRole("button", { name: /^Run( Ctrl Enter)?$/ }).click();
    expect(await announced(page)).toMatchObject({ examined: 2, returned: 2 });
    await page.getByRole("button", { name: "Copy as code" }).click();
    expect(await page.getByRole("tabpanel", { name: "Code" }).textContent()).toContain("aws dynamodb scan");
  });
});

describe("a pattern", () => {
  it("runs in the other direction, with a Limit and a filter of the reader's own", async () => {
    const page = await openDesign(await visitor());
    const { patterns } = await dataOf(page);
    const query = patterns.find(({ operation }) => operation === "Query");
    if (query === undefined) throw new Error("the design has no Query");
    await page.getByRole("button", { name: query.question, exact: true }).click();
    await page.getByLabel("Limit").fill("1");
    await page.getByRole("combobox", { name: "Direction" }).selectOption({ index: 1 });
    await page.getByRole("combobox", { name: "Filter", exact: true }).selectOption({ index: 3 });
    await page.getByLabel("Filter’s value").fill("not there");
    await page.keyboard.press("Control+Enter");
    expect(await announced(page)).toMatchObject({ examined: 1, returned: 0 });
  });
});
