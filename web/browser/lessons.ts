/** A browser at a lesson, and what tests ask of it. */
import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import type { LessonData, LessonStep, SetupRequest } from "../src/contract";
import { open } from "./studio";

/** The lesson on filters: what its exercise starts with is wrong, and its second step is the answer. */
export const FILTERS = "a-filter-is-no-index";

/** Opens a lesson; with scripts, waits until its engine is on. */
export async function openLesson(context: BrowserContext, lesson: string, scripts = true): Promise<Page> {
  const page = await open(context, `/course/${lesson}/`);
  if (scripts) await ready(page);
  return page;
}

/** Waits until the page's engine is on. */
export async function ready(page: Page): Promise<void> {
  await page.locator('.engine[data-state="ready"]').waitFor();
}

/** The data that the lesson's page carries. */
export async function lessonOf(page: Page): Promise<LessonData> {
  return JSON.parse((await page.locator("#lesson-data").textContent()) ?? "") as LessonData;
}

/** A step of the lesson, counted from 1. */
export async function stepOf(page: Page, number: number): Promise<LessonStep> {
  const step = (await lessonOf(page)).steps[number - 1];
  if (step === undefined) throw new Error(`the lesson has no step ${number}`);
  return step;
}

/** Runs a step and waits for its figures. */
export async function runStep(page: Page, number: number): Promise<void> {
  const { id, title } = await stepOf(page, number);
  await page.getByRole("button", { name: `Run: ${title}` }).click();
  await page.locator(`#${id} .got`).waitFor();
}

/** Types an answer into the exercise's only request. */
export async function answerWith(page: Page, { target, body }: SetupRequest): Promise<void> {
  const request = page.getByRole("group", { name: "Your request", exact: true });
  await request.getByRole("combobox", { name: "Operation" }).selectOption(target.split(".")[1] ?? "");
  await request.getByRole("textbox", { name: /^Request body/ }).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(typeof body === "string" ? body : JSON.stringify(body, null, 2));
}

/** Has the exercise checked, and says how many checks passed of how many. */
export async function check(page: Page): Promise<{ passed: number; of: number }> {
  const before = await page.locator("#exercise .seen [role=status]").textContent();
  await page.getByRole("button", { name: /^Check/ }).click();
  const sentence = /^Check \d+: (\d+) of (\d+) passed\.$/;
  await expect
    .poll(async () => {
      const text = (await page.locator("#exercise .seen [role=status]").textContent()) ?? "";
      return text !== before && sentence.test(text);
    })
    .toBe(true);
  const [, passed, of] =
    sentence.exec((await page.locator("#exercise .seen [role=status]").textContent()) ?? "") ?? [];
  return { passed: Number(passed), of: Number(of) };
}
