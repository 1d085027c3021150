import { describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { answerWith, check, FILTERS, lessonOf, openLesson, ready, stepOf } from "./lessons";
import { findings, site, visitor } from "./studio";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

function width(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth);
}

it("fails as it starts, and the mistake is named and announced at once", async () => {
  const page = await openLesson(await visitor(), FILTERS);
  const { stated } = await stepOf(page, 1);
  const { passed, of } = await check(page);
  expect(passed).toBeLessThan(of);
  const mistake = page.locator("[aria-live=assertive] .diag h3");
  expect(await mistake.textContent()).toContain(`${stated.examined} were read to return ${stated.returned}`);
  const result = page.getByRole("list", { name: "Result of the check" });
  expect(await result.getByText("Failed:").count()).toBe(of - passed);
  expect(await page.getByRole("heading", { name: "The solution" }).count()).toBe(0);
  const plan = page.getByRole("img", { name: /^Key plan of/ });
  expect(await plan.getAttribute("aria-label")).toContain(`${stated.examined} items examined`);
  expect(await plan.locator("i.x").count()).toBe(stated.examined);
  expect(await plan.locator("i.r").count()).toBe(stated.returned);
});

it("an answer that is no JSON fails in the service's words", async () => {
  const page = await openLesson(await visitor(), FILTERS);
  await answerWith(page, { target: "DynamoDB_20120810.Scan", body: "{" });
  const { passed, of } = await check(page);
  expect(passed).toBeLessThan(of);
  await page.locator(".diag").waitFor();
});

it("passes with its solution, which is then shown with its receipt, and the lesson is done", async () => {
  const context = await visitor();
  const page = await openLesson(context, FILTERS);
  const { lesson } = await lessonOf(page);
  await answerWith(page, (await stepOf(page, 2)).request);
  await page.keyboard.press("Control+Shift+Enter");
  await page.getByRole("heading", { name: "The solution" }).waitFor();
  await page.getByText("Both cost the same.").waitFor();
  const [yours, solution] = await Promise.all(
    ["Receipt: yours", "Receipt: solution"].map((name) =>
      page.getByRole("region", { name }).locator(".cost").textContent(),
    ),
  );
  expect(yours).toBe(solution);
  expect(await page.evaluate(() => document.activeElement?.className)).not.toBe("");

  await page.goto(site("/course/"));
  const entry = page.locator(`[data-lesson="${FILTERS}"]`);
  await entry.getByText("done", { exact: true }).waitFor();
  await page.getByText(`1 of ${lesson.of} lessons done`).waitFor();
  await page.getByRole("button", { name: "Forget what is done" }).click();
  await entry.getByText("done", { exact: true }).waitFor({ state: "detached" });
  await page.reload();
  expect(await page.locator(".done-mark").count()).toBe(0);
});

it("an attempt and its hints are there after a reload, until it is started over", async () => {
  const page = await openLesson(await visitor(), FILTERS);
  await answerWith(page, { target: "DynamoDB_20120810.Query", body: { TableName: "Mine" } });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Alt+h");
  const hint = (number: number): ReturnType<Page["locator"]> => page.locator(`#hint-${number} p`);
  await hint(1).waitFor();
  expect(await page.locator("#hint-3").isVisible(), "hints come one at a time").toBe(false);
  await page.keyboard.press("Alt+h");
  await hint(2).waitFor();

  await page.reload();
  await ready(page);
  expect(await hint(2).isVisible()).toBe(true);
  expect(await hint(3).isVisible()).toBe(false);
  const request = page.getByRole("group", { name: "Your request", exact: true });
  await request.getByText('"Mine"').waitFor();
  expect(await request.getByRole("combobox", { name: "Operation" }).inputValue()).toBe("Query");
  await page.getByRole("button", { name: "Start over" }).click();
  await request.getByText('"Mine"').waitFor({ state: "detached" });
  expect(await hint(1).isVisible()).toBe(false);
  await page.reload();
  await ready(page);
  expect(await request.getByText('"Mine"').count()).toBe(0);
});

it("an answer may be several requests, added and taken away", async () => {
  const page = await openLesson(await visitor(), FILTERS);
  await page.getByRole("button", { name: "Add a request" }).click();
  await page.getByRole("group", { name: "Your request 2" }).waitFor();
  await check(page);
  await page.getByText(/^2 requests, /).waitFor();
  await page.getByRole("button", { name: "Remove your request 2" }).click();
  await page.getByRole("group", { name: "Your request", exact: true }).waitFor();
  await page.getByText("Changed since.").waitFor();
});

it("a browser that keeps nothing has the same lesson", async () => {
  const context = await visitor();
  await context.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get: () => {
        throw new DOMException("no", "SecurityError");
      },
    });
  });
  const page = await openLesson(context, FILTERS);
  await answerWith(page, (await stepOf(page, 2)).request);
  const { passed, of } = await check(page);
  expect(passed).toBe(of);
});

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  it.each([
    ["wide", {}],
    ["on a phone", PHONE],
  ])("axe finds nothing %s: before, failed, passed, and on the map", async (_, options) => {
    const context = await visitor({ colorScheme, reducedMotion: "reduce", ...options });
    const page = await openLesson(context, FILTERS);
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Run all" }).click();
    await page.locator("#step-4 .got").waitFor();
    await check(page);
    expect(await findings(page)).toEqual([]);
    await answerWith(page, (await stepOf(page, 2)).request);
    await check(page);
    await page.getByRole("heading", { name: "The solution" }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.goto(site("/course/"));
    await page.locator(".done-mark").waitFor();
    expect(await findings(page)).toEqual([]);
  });
});

it("on a phone the plan opens as a sheet over the text, and closes by the same tap", async () => {
  const page = await openLesson(await visitor(PHONE), FILTERS);
  const link = page
    .getByRole("navigation", { name: "Parts of this page" })
    .getByRole("link", { name: /^Plan/ });
  await link.click();
  await page.locator("#plan.as-sheet").waitFor();
  expect(await page.locator("#text").evaluate((text) => text.closest("[inert]") !== null)).toBe(true);
  expect(await page.locator("#exercise").evaluate((part) => part.closest("[inert]") !== null)).toBe(true);
  await link.click();
  await page.locator("#plan.as-sheet").waitFor({ state: "detached" });
  expect(await page.locator("[inert]").count()).toBe(0);
});

it("nothing scrolls sideways on a phone, and the bar has the figures", async () => {
  const page = await openLesson(await visitor(PHONE), FILTERS);
  expect(await width(page)).toBe(390);
  await page.getByRole("button", { name: "Run all" }).click();
  await page.locator("#step-4 .got").waitFor();
  const { passed, of } = await check(page);
  expect(await width(page)).toBe(390);
  const bar = page.getByRole("navigation", { name: "Parts of this page" });
  await bar.getByText(`${passed} of ${of}`).waitFor();
  await answerWith(page, (await stepOf(page, 2)).request);
  await check(page);
  await page.getByRole("heading", { name: "The solution" }).waitFor();
  expect(await width(page)).toBe(390);
});
