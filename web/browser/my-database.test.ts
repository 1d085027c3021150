import { expect, it } from "vitest";
import { dataOf, openDesign, planText, typeRequest, visitor } from "./studio";

it("a design is copied into my database, and is there after a reload as it was", async () => {
  const context = await visitor();
  const page = await openDesign(context);
  const { tables, inspections } = await dataOf(page);
  await page.getByRole("button", { name: "Copy into my database" }).click();
  await page.getByText("Copied into my database.").waitFor();
  await page.getByRole("button", { name: "Show my database" }).click();
  await page.getByText("Engine in this tab, data on OPFS").waitFor();
  // A change of one's own, so that what comes back is not merely another copy.
  const [inspection] = inspections;
  const heading = inspection?.key.sort?.name ?? inspection?.key.partition.name ?? "";
  const [partition] = inspection?.partitions ?? [];
  const [entry] = partition?.items ?? [];
  await typeRequest(page, "PutItem", {
    TableName: tables[0],
    Item: { ...entry?.item, [heading]: { S: "MINE" } },
  });
  await page.keyboard.press("Control+Enter");
  await page.getByRole("rowheader", { name: "MINE" }).waitFor();

  await page.reload();
  await page.locator('.engine[data-state="ready"]').waitFor();
  expect(await page.getByRole("rowheader", { name: "MINE" }).count(), "the design itself is untouched").toBe(
    0,
  );
  const panel = page.getByRole("region", { name: "My database" });
  await panel.getByText(`In it: ${tables.join(", ")}.`).waitFor();
  // The look has let go of it: another tab may have it.
  const another = await openDesign(context);
  await another.getByRole("combobox", { name: "Endpoint" }).selectOption("My database");
  await another.getByRole("rowheader", { name: "MINE" }).waitFor();
  await another.close();
  await panel.getByRole("button", { name: "Show my database" }).click();
  await page.getByRole("rowheader", { name: "MINE" }).waitFor();
  const mine = await planText(page);
  await page.reload();
  await page.locator('.engine[data-state="ready"]').waitFor();
  await page.getByRole("combobox", { name: "Endpoint" }).selectOption("My database");
  await page.getByRole("rowheader", { name: "MINE" }).waitFor();
  expect(await planText(page)).toBe(mine);

  await page.getByRole("button", { name: "Copy into my database" }).click();
  await page.getByText(`${tables.join(", ")} is in my database already.`).waitFor();
  await page.getByRole("button", { name: "Replace" }).click();
  await page.getByText("Copied into my database.").waitFor();
  await page.getByRole("rowheader", { name: "MINE" }).waitFor({ state: "detached" });
});

it("one tab owns my database, and another is told", async () => {
  const context = await visitor();
  const first = await openDesign(context);
  await first.getByRole("combobox", { name: "Endpoint" }).selectOption("My database");
  await first.getByText("There are no tables here.").waitFor();
  const second = await openDesign(context);
  await second.getByRole("combobox", { name: "Endpoint" }).selectOption("My database");
  await second.getByRole("alert").getByText("My database is open in another tab.").waitFor();
  expect(await second.getByRole("combobox", { name: "Endpoint" }).inputValue()).toBe("tab");
  await first.close();
  await second.getByRole("button", { name: "Try again" }).click();
  await second.getByText("There are no tables here.").waitFor();
});

it("another tab uses a copy of my database, which goes its own way", async () => {
  const context = await visitor();
  const owner = await openDesign(context);
  await owner.getByRole("button", { name: "Copy into my database" }).click();
  await owner.getByRole("button", { name: "Show my database" }).click();
  await owner.getByText("Engine in this tab, data on OPFS").waitFor();
  const original = await planText(owner);

  const other = await openDesign(context);
  await other.getByRole("combobox", { name: "Endpoint" }).selectOption("My database");
  await other.getByRole("button", { name: "Use a copy" }).click();
  await other.getByText("This is a copy, as my database was when you asked for it.").waitFor();
  await other.getByText("Engine in this tab, data in memory").waitFor();
  expect(
    await other.getByRole("combobox", { name: "Endpoint" }).locator("option:checked").textContent(),
  ).toBe("My database, a copy");
  expect(await planText(other)).toBe(original);

  // Each changes its own, and the owner still writes to its file.
  const { tables } = await dataOf(owner);
  for (const page of [owner, other]) {
    await typeRequest(page, "DeleteTable", { TableName: tables[0] });
    await page.keyboard.press("Control+Enter");
    await page.getByText("There are no tables here.").waitFor();
    if (page === owner) expect(await planText(other)).toBe(original);
  }
  await owner.close();
  await other.reload();
  await other.locator('.engine[data-state="ready"]').waitFor();
  await other.getByRole("combobox", { name: "Endpoint" }).selectOption("My database");
  await other.getByText("Engine in this tab, data on OPFS").waitFor();
});
