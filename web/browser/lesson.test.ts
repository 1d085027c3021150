import { expect, it } from "vitest";
import { answerWith, check, FILTERS, lessonOf, openLesson, ready, runStep, stepOf } from "./lessons";
import { announced, legend, receiptLine, site, visitor } from "./studio";

it("says the same without scripts as with them, before the first request", async () => {
  const text = async (scripts: boolean): Promise<string> => {
    const page = await openLesson(await visitor({ javaScriptEnabled: scripts }), FILTERS, scripts);
    // Left out: what only lives, and what stands only where nothing lives.
    const parts = await page.locator("main").evaluate((main) => {
      const copy = main.cloneNode(true) as HTMLElement;
      for (const part of copy.querySelectorAll("[data-live], [data-static]")) part.remove();
      return copy.textContent ?? "";
    });
    return parts.replace(/\s+/g, "");
  };
  expect(await text(true)).toBe(await text(false));
});

it("a newcomer finds the course, reads, runs the steps, and passes the exercise", async () => {
  const context = await visitor();
  const map = await context.newPage();
  await map.goto(site("/course/"));
  const first = map.locator("[data-lesson]").first();
  const slug = (await first.getAttribute("data-lesson")) ?? "";
  await first.getByRole("link").click();
  await map.getByRole("heading", { level: 1 }).waitFor();
  expect(new URL(map.url()).pathname).toBe(`/course/${slug}/`);

  const page = await openLesson(context, FILTERS);
  const { steps } = await lessonOf(page);
  const notice = page.locator("#step-1 .notice-text");
  expect(await notice.isVisible(), "what to notice comes after the answer").toBe(false);
  await runStep(page, 1);
  await notice.waitFor();
  const [one] = steps;
  const said = await announced(page);
  expect([said.examined, said.returned]).toEqual([one?.stated.examined, one?.stated.returned]);
  expect(await legend(page)).toEqual({ examined: one?.stated.examined, returned: one?.stated.returned });
  expect(await receiptLine(page, 1, "examined")).toBe(String(one?.stated.examined));

  await page.getByRole("button", { name: "Run all" }).click();
  await page.locator(`#step-${steps.length} .got`).waitFor();
  for (const { id, stated } of steps) {
    const figures = await page.locator(`#${id} .got b`).allTextContents();
    expect(figures.slice(0, 2), id).toEqual([String(stated.examined), String(stated.returned)]);
  }
  expect(await page.getByText("The lesson states").count()).toBe(0);

  await answerWith(page, (await stepOf(page, 2)).request);
  const { passed, of } = await check(page);
  expect(passed).toBe(of);
  await page.getByText("Every check passed.").waitFor();
});

it("a reader's own request runs on the lesson's tables, is undone, and reset brings them back", async () => {
  const page = await openLesson(await visitor(), FILTERS);
  const { inspections } = await lessonOf(page);
  const [inspection] = inspections;
  const item = inspection?.partitions[0]?.items[0]?.item;
  const sort = inspection?.key.sort?.name ?? "";
  await page.getByText("A request of your own").click();
  const own = page.locator("#own");
  await own.getByRole("tab", { name: "JSON" }).first().click();
  await own.getByRole("combobox", { name: "Operation" }).selectOption("PutItem");
  await own.getByRole("textbox", { name: /^Request body/ }).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(
    JSON.stringify({ TableName: inspection?.table, Item: { ...item, [sort]: { S: "MINE" } } }),
  );
  await page.keyboard.press("Control+Enter");
  const mine = page.locator("#plan").getByRole("rowheader", { name: "MINE" });
  await mine.waitFor();
  await runStep(page, 1);
  await page.getByText(/^The lesson states/).waitFor();
  await page.getByRole("button", { name: "Undo No. 1" }).click();
  await mine.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Reset" }).click();
  await page.locator("#step-1 .got").waitFor({ state: "detached" });
});

it("an error is in the service's words, under what sent it", async () => {
  const page = await openLesson(await visitor(), FILTERS);
  await answerWith(page, { target: "DynamoDB_20120810.Query", body: { TableName: "Loans" } });
  await page.keyboard.press("Control+Enter");
  const card = page.locator("#exercise").getByRole("alert");
  await card.getByText("ValidationException").waitFor();
  await card.getByText(/KeyCondition/).waitFor();
});

it("Alt and a page key lead to the lessons before and after", async () => {
  const page = await openLesson(await visitor(), FILTERS);
  const { previous } = (await lessonOf(page)).lesson;
  await page.keyboard.press("Alt+PageUp");
  await page.waitForURL(`**/course/${previous?.id}/`);
  await ready(page);
  await page.keyboard.press("Alt+PageDown");
  await page.waitForURL(`**/course/${FILTERS}/`);
});

it("keys lead to the parts of the page, and are listed", async () => {
  const page = await openLesson(await visitor(), FILTERS);
  for (const [key, id] of [
    ["2", "plan"],
    ["3", "receipt"],
    ["4", "exercise"],
    ["1", "text"],
  ] as const) {
    await page.keyboard.press(`Alt+${key}`);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe(id);
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByText("check the exercise").waitFor();
});
