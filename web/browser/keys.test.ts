import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { dataOf, openDesign, visitor } from "./studio";

/** The text of what has the focus: an item's key, a room's door. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const here = document.activeElement;
    return (here?.querySelector("th[scope=row]") ?? here)?.textContent?.trim() ?? "";
  });
}

function focusedPart(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.id ?? "");
}

it("Alt and a figure lead to the parts of the page, out of a field too", async () => {
  const page = await openDesign(await visitor());
  await page.getByRole("textbox").first().focus();
  for (const [key, part] of [
    ["2", "plan"],
    ["3", "receipt"],
    ["1", "questions"],
  ] as const) {
    await page.keyboard.press(`Alt+${key}`);
    expect(await focusedPart(page)).toBe(part);
  }
});

it("J, K, Home, End and brackets walk the plan, and are letters in a field", async () => {
  const page = await openDesign(await visitor());
  // A long room folds its end, which the keys pass over.
  const shown = async (room: number): Promise<string[]> => {
    const heads = page.locator("#plan .room").nth(room).locator("tbody tr:visible th");
    return (await heads.allTextContents()).map((text) => text.trim());
  };
  const [first, second] = [await shown(0), await shown(1)];
  const press = async (key: string): Promise<string> => {
    await page.keyboard.press(key);
    return focused(page);
  };
  await page.keyboard.press("Alt+2");
  expect(await press("j")).toBe(first[0]);
  expect(await press("j")).toBe(first[1]);
  expect(await press("k")).toBe(first[0]);
  expect(await press("k"), "the first item has none before it").toBe(first[0]);
  expect(await press("End")).toBe(first.at(-1));
  expect(await press("j"), "the next room follows").toBe(second[0]);
  expect(await press("Home")).toBe(second[0]);
  expect(await press("[")).toBe(first[0]);
  expect(await press("]")).toBe(second[0]);

  const field = page.locator(".fields input").first();
  await field.fill("");
  await field.pressSequentially("jk[?");
  expect(await field.inputValue()).toBe("jk[?");
  expect(await page.getByRole("dialog").count()).toBe(0);
});

it("brackets stop at the doors of rooms that a request left shut", async () => {
  const page = await openDesign(await visitor());
  const [pattern] = (await dataOf(page)).patterns;
  await page.getByRole("button", { name: `Run: ${pattern?.question}` }).click();
  await page.getByRole("region", { name: "Receipt 1", exact: true }).waitFor();
  const door = page.locator(".room").first().getByRole("button");
  await door.waitFor();
  await page.keyboard.press("Alt+2");
  await page.keyboard.press("]");
  expect(await focused(page)).toBe(await door.textContent());
  await page.keyboard.press("Enter");
  await page.keyboard.press("j");
  expect(await focused(page)).toBe(
    await page.locator(".room").first().getByRole("rowheader").first().textContent(),
  );
});

it("a question mark lists the keys, until it is switched off; the button stays", async () => {
  const page = await openDesign(await visitor());
  const list = page.getByRole("dialog", { name: "Keys" });
  await page.keyboard.press("?");
  await list.getByText("run the request", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "List the keys" }).click();
  await list.getByRole("checkbox").uncheck();
  await list.getByRole("button", { name: "Close" }).click();
  await page.reload();
  await page.locator('.engine[data-state="ready"]').waitFor();
  await page.keyboard.press("?");
  expect(await list.count()).toBe(0);
});
