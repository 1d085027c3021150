import { describe, expect, it } from "vitest";
import { announced, dataOf, legend, openDesign, receiptLine, typeRequest, visitor } from "./studio";

/** The console's own button: its key stands on it where there is room. */
const RUN = /^Run( Ctrl Enter)?$/;

describe("a pattern", () => {
  it("runs with its examples and returns what the model says", async () => {
    const page = await openDesign(await visitor());
    const [pattern] = (await dataOf(page)).patterns;
    await page.getByRole("button", { name: `Run: ${pattern?.question}` }).click();
    const { examined, returned } = await announced(page);
    expect(returned).toBe((pattern as unknown as { returns: { count: number } }).returns.count);
    expect(await legend(page)).toEqual({ examined, returned });
    expect(await receiptLine(page, 1, "examined")).toBe(String(examined));
    expect(await receiptLine(page, 1, "returned")).toBe(String(returned));
  });

  it("runs with parameters of the reader's own", async () => {
    const page = await openDesign(await visitor());
    const { patterns, inspections } = await dataOf(page);
    const [inspection] = inspections;
    if (inspection === undefined) throw new Error("no table");
    // One that asks for a whole partition, of a partition that is not its example.
    const whole = patterns.find(
      ({ operation, template }) => operation === "Query" && !JSON.stringify(template).includes(" AND "),
    );
    const [parameter] = whole?.parameters ?? [];
    if (whole === undefined || parameter === undefined)
      throw new Error("no pattern asks for a whole partition");
    const key = inspection.key.partition.name;
    const keyOf = (partition: (typeof inspection.partitions)[number]): string =>
      String(partition.partitionKey[key]?.["S"]);
    const other = inspection.partitions.find(
      (partition) => partition.itemCount > 1 && keyOf(partition) !== parameter.prefix + parameter.example,
    );
    if (other === undefined) throw new Error("no other partition");
    await page.getByRole("button", { name: whole.question, exact: true }).click();
    await page.getByLabel(parameter.label).fill(keyOf(other).slice(parameter.prefix.length));
    await page.keyboard.press("Enter");
    const items = other.itemCount;
    expect(await announced(page)).toMatchObject({ examined: items, returned: items });
    const room = page.getByRole("region", {
      name: `Partition ${keyOf(other)}: ${items} examined, ${items} returned`,
      exact: true,
    });
    expect(await room.getByText("examined and returned", { exact: true }).count()).toBe(items);
    expect(await receiptLine(page, 1, "ScannedCount")).toBe(String(items));
    expect(await receiptLine(page, 1, "bytes read")).toBe(other.bytes.toLocaleString("en-US"));
    // The rooms that the request left alone are shut, and open at a touch.
    const shut = page.locator(".room.shut").first();
    await shut.getByRole("button").click();
    expect(await page.locator(".room:has([aria-expanded=true]) tbody tr").count()).toBeGreaterThan(0);
  });
});

describe("a typed request", () => {
  it("runs by Ctrl+Enter in the editor, says where its page ended, and goes on", async () => {
    const page = await openDesign(await visitor());
    const { tables } = await dataOf(page);
    await typeRequest(page, "Scan", { TableName: tables[0], Limit: 2 });
    await page.keyboard.press("Control+Enter");
    expect(await announced(page)).toMatchObject({ examined: 2, returned: 2 });
    expect(await page.getByRole("tabpanel", { name: "Answer" }).locator("tbody tr").count()).toBe(2);
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByRole("region", { name: "Receipt 2", exact: true }).waitFor();
    expect(await legend(page)).toEqual({ examined: 2, returned: 2 });
    await page.getByRole("tab", { name: "JSON" }).last().click();
    expect(await page.getByRole("tabpanel", { name: "Answer" }).textContent()).toContain(
      '"LastEvaluatedKey"',
    );
  });

  it("begins as what the parameters make", async () => {
    const page = await openDesign(await visitor());
    const { tables, patterns } = await dataOf(page);
    await page.getByRole("tab", { name: "JSON" }).first().click();
    expect(await page.getByRole("combobox", { name: "Operation" }).inputValue()).toBe(patterns[0]?.operation);
    const editor = page.getByRole("textbox", { name: /^Request body/ });
    expect(await editor.textContent()).toContain(`"TableName": "${tables[0]}"`);
  });

  it("that is refused shows the service's words unaltered, and costs nothing", async () => {
    const page = await openDesign(await visitor());
    const { tables } = await dataOf(page);
    await typeRequest(page, "Query", { TableName: tables[0] });
    await page.getByRole("button", { name: RUN }).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.getByRole("heading").textContent()).toContain("ValidationException");
    const answer = JSON.parse(
      (await page.getByRole("tabpanel", { name: "Answer" }).textContent()) ?? "",
    ) as object;
    const message = Object.entries(answer).find(([name]) => name.toLowerCase() === "message")?.[1] as string;
    expect(await alert.locator(".msg").textContent()).toBe(message);
    expect(await page.getByRole("region", { name: "Receipt 1", exact: true }).textContent()).toContain(
      "0.0 read units",
    );
  });

  it("that is no JSON is refused by the service, not by the page", async () => {
    const page = await openDesign(await visitor());
    await typeRequest(page, "Scan", "{");
    await page.keyboard.press("Control+Enter");
    const alert = await page.getByRole("alert").textContent();
    expect(alert).toContain("SerializationException");
    expect(alert).toContain("The body is not JSON. Line 1: a name in quotes or } is expected");
  });
});

describe("a question's units", () => {
  it("stay as stated after a run that failed, and say where they are from", async () => {
    const page = await openDesign(await visitor());
    const { tables, patterns } = await dataOf(page);
    const [pattern] = patterns;
    const run = page.getByRole("button", { name: `Run: ${pattern?.question}` });
    const units = page.locator(".patterns tr", { has: run }).locator(".u");
    const stated = await units.textContent();
    expect(stated).toContain("as stated");
    await typeRequest(page, "DeleteTable", { TableName: tables[0] });
    await page.keyboard.press("Control+Enter");
    await page.locator("#plan").getByText("Undo takes the last change back").waitFor();
    expect(await page.getByRole("region", { name: "Receipt 1", exact: true }).textContent()).toContain(
      "0 units",
    );
    await run.click();
    await page.getByRole("alert").waitFor();
    expect(await units.textContent()).toBe(stated);
    await page.getByRole("button", { name: "Reset" }).click();
    await run.click();
    await units.getByText("as last run").waitFor({ state: "attached" });
  });
});

describe("an answer without a body", () => {
  it("says that it is empty", async () => {
    const page = await openDesign(await visitor());
    const { tables } = await dataOf(page);
    await typeRequest(page, "TagResource", {
      ResourceArn: `arn:aws:dynamodb:us-east-1:123456789012:table/${tables[0]}`,
      Tags: [{ Key: "for", Value: "trial" }],
    });
    await page.keyboard.press("Control+Enter");
    await page.getByRole("tabpanel", { name: "Answer" }).getByText("An empty body.").waitFor();
  });
});

describe("a refused write", () => {
  it("outlines the item that it examined, marks nothing as written, and is charged", async () => {
    const page = await openDesign(await visitor());
    const { tables, inspections, setup } = await dataOf(page);
    const { Item: item } = setup.at(-1)?.body as { Item: Record<string, unknown> };
    const partition = inspections[0]?.key.partition.name ?? "";
    await typeRequest(page, "PutItem", {
      TableName: tables[0],
      Item: item,
      ConditionExpression: "attribute_not_exists(#key)",
      ExpressionAttributeNames: { "#key": partition },
    });
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").getByText("Nothing changed. The attempt is charged").waitFor();
    expect(await legend(page)).toEqual({ examined: 1, returned: 0 });
    expect(await page.locator("#plan tr.x").count()).toBe(1);
    expect(
      await page
        .locator("#plan")
        .getByText(/written by/)
        .count(),
    ).toBe(0);
    expect(await page.getByRole("region", { name: "Receipt 1", exact: true }).textContent()).toContain(
      "A refused write is charged all the same.",
    );
  });
});

describe("the ledger", () => {
  it("lists requests with their sum, takes a write back, and resets", async () => {
    const page = await openDesign(await visitor());
    const { tables, inspections, setup } = await dataOf(page);
    const { Item: item } = setup.at(-1)?.body as { Item: Record<string, unknown> };
    const sort = inspections[0]?.key.sort?.name ?? "";
    const added = { ...item, [sort]: { S: "ZZZ of mine" } };
    await typeRequest(page, "PutItem", { TableName: tables[0], Item: added });
    await page.keyboard.press("Control+Enter");
    const heading = page.getByRole("rowheader", { name: "ZZZ of mine" });
    await heading.waitFor();
    await page.locator("tr", { has: heading }).getByText("written by No. 1").waitFor({ state: "attached" });
    expect(await page.locator("#plan .plan-head").textContent()).toContain("No. 1 wrote the item marked +");
    const receipt = page.getByRole("region", { name: "Receipt 1", exact: true });
    expect(await receipt.textContent()).toContain("A new item was written; none was there before.");
    const history = page.getByRole("region", { name: "Requests" });
    expect(await history.locator("tfoot").textContent()).toMatch(/Sum.*1\.0 W/);
    await history.getByRole("button", { name: "Undo No. 1" }).click();
    await heading.waitFor({ state: "detached" });
    await history.getByRole("button", { name: "Reset" }).click();
    await history.getByText("Nothing sent yet.").waitFor();
  });
});
