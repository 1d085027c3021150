import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { announced, dataOf, DESIGN, findings, openDesign, site, typeRequest, visitor } from "./studio";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function runFirst(page: Page): Promise<void> {
  const [pattern] = (await dataOf(page)).patterns;
  await page.getByRole("button", { name: `Run: ${pattern?.question}` }).click();
  await announced(page);
}

it("says the same without scripts as with them, before the first request", async () => {
  const text = async (scripts: boolean): Promise<string> => {
    const page = await openDesign(await visitor({ javaScriptEnabled: scripts }), scripts);
    // What only a script can do is not in the rendered page, and says so by `data-live`.
    const said = await page.locator("main").evaluate((main) => {
      const copy = main.cloneNode(true) as HTMLElement;
      copy.querySelectorAll("[data-live]").forEach((live) => live.remove());
      return copy.textContent;
    });
    return said.replace(/\s+/g, "");
  };
  expect(await text(true)).toBe(await text(false));
});

it("home leads to the gallery, and that to the design", async () => {
  const context = await visitor();
  const page = await context.newPage();
  await page.goto(site());
  await page.getByRole("navigation", { name: "Site" }).getByRole("link", { name: "Gallery" }).click();
  const id = DESIGN.split("/").at(-2) ?? "";
  await page.locator(`main a[href*="${id}"]`).first().click();
  await page.locator("#studio").waitFor();
  expect(new URL(page.url()).pathname).toBe(DESIGN);
});

it("home asks its question in every way, and says what each read and a million of them cost", async () => {
  const page = await (await visitor()).newPage();
  await page.goto(site());
  const ways = page.getByRole("group", { name: "How to ask" }).getByRole("button");
  for (let place = 0; place < (await ways.count()); place += 1) {
    await ways.nth(place).click();
    await page.getByRole("button", { name: /^Run/ }).click();
    const receipt = page.getByRole("region", { name: `Receipt ${place + 1}`, exact: true });
    await receipt.getByText("a million of these").waitFor();
    const { examined, returned } = await announced(page);
    const line = page.locator(".ways tbody tr").nth(place);
    expect(await line.textContent()).toContain(`${examined} read, ${returned} returned`);
  }
});

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  it("axe finds nothing, before, after a request, and at an error", async () => {
    const page = await openDesign(await visitor({ colorScheme, reducedMotion: "reduce" }));
    expect(await findings(page)).toEqual([]);
    await runFirst(page);
    expect(await findings(page)).toEqual([]);
    await typeRequest(page, "Query", {});
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it("axe finds nothing on the home page, nor on a phone", async () => {
    const context = await visitor({ colorScheme, reducedMotion: "reduce", ...PHONE });
    const home = await context.newPage();
    await home.goto(site());
    expect(await findings(home)).toEqual([]);
    const page = await openDesign(context);
    await runFirst(page);
    expect(await findings(page)).toEqual([]);
  });
});

it("nothing scrolls sideways on a phone", async () => {
  const page = await openDesign(await visitor(PHONE));
  const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBe(390);
  await runFirst(page);
  expect(await width()).toBe(390);
  await typeRequest(page, "Query", { TableName: "a-table-whose-name-is-long-and-is-not-there".repeat(3) });
  await page.getByRole("button", { name: /^Run( Ctrl Enter)?$/ }).click();
  await page.getByRole("alert").waitFor();
  expect(await width()).toBe(390);
});

it.each([1280, 1440])("no word of the plan's cells is broken, %i px wide", async (width) => {
  const page = await openDesign(await visitor({ viewport: { width, height: 1000 } }));
  await runFirst(page);
  const broken = await page.locator("#plan .items").evaluateAll((tables) =>
    tables
      .flatMap((table) => [...table.querySelectorAll("td:not(.pairs), th")])
      .flatMap((cell) => {
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        const words: string[] = [];
        while (texts.nextNode()) {
          for (const { 0: word, index } of (texts.currentNode.nodeValue ?? "").matchAll(/\S+/gu)) {
            const range = document.createRange();
            range.setStart(texts.currentNode, index);
            range.setEnd(texts.currentNode, index + word.length);
            if (range.getClientRects().length > 1) words.push(word);
          }
        }
        return words;
      }),
  );
  expect(broken).toEqual([]);
});

it("a theme that the reader chose holds on the next page", async () => {
  const context = await visitor({ colorScheme: "light" });
  const page = await openDesign(context);
  const theme = page.getByRole("button", { name: /^Theme/ });
  await theme.click();
  await theme.click();
  expect(await theme.textContent()).toBe("Theme: dark");
  await page.goto(site());
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(ground).toBe("rgb(14, 20, 19)");
});
