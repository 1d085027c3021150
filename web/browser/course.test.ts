/** Every lesson of the course on its page. */
import { expect, it } from "vitest";
import { check, lessonOf, openLesson } from "./lessons";
import { findings, open, visitor } from "./studio";

/** Some twenty pages, each of which starts an engine. */
const LIMIT_MILLISECONDS = 240_000;

it(
  "each lesson's steps give what it states, its exercise fails as it starts, and axe finds nothing",
  async () => {
    const context = await visitor({ reducedMotion: "reduce" });
    const map = await open(context, "/course/");
    const slugs = await map
      .locator("[data-lesson]")
      .evaluateAll((entries) => entries.map((entry) => (entry as HTMLElement).dataset["lesson"] ?? ""));
    expect(slugs.length).toBeGreaterThan(0);
    for (const slug of slugs) {
      const page = await openLesson(context, slug);
      const { lesson, steps } = await lessonOf(page);
      expect(lesson.of).toBe(slugs.length);
      await page.getByRole("button", { name: "Run all" }).click();
      await page.locator(`#step-${steps.length} .got`).waitFor();
      expect(await page.getByText(/^The lesson states/).allTextContents(), slug).toEqual([]);
      const { passed, of } = await check(page);
      expect(passed, `${slug} fails as it starts`).toBeLessThan(of);
      await page.locator(".diag h3").waitFor();
      expect(await findings(page), slug).toEqual([]);
      await page.close();
    }
  },
  LIMIT_MILLISECONDS,
);
