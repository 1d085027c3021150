/** Every page that a link of the site leads to: on a phone and on a desk, in both themes. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findings, open, site, visitor } from "./studio";

/** Some thirty pages, each opened twice. */
const LIMIT_MILLISECONDS = 900_000;
const WIDTH = 390;
/** The page for what is not there is linked from nowhere. */
const NOT_FOUND = "/404.html";

/** The paths of all pages that can be reached from the home page. */
async function pages(page: Page): Promise<string[]> {
  const known = new Set(["/", NOT_FOUND]);
  // A set that grows is walked to its end.
  for (const path of known) {
    await page.goto(site(path), { waitUntil: "domcontentloaded" });
    const links = await page
      .locator("a[href]")
      .evaluateAll((found) => found.map((link) => (link as HTMLAnchorElement).href));
    for (const link of links) {
      const { origin, pathname } = new URL(link);
      if (origin === new URL(site()).origin && pathname.endsWith("/")) known.add(pathname);
    }
  }
  return [...known];
}

it(
  "no page scrolls sideways on a phone, and axe finds nothing on any, in either theme",
  async () => {
    const phone = { viewport: { width: WIDTH, height: 844 }, hasTouch: true, isMobile: true };
    const light = await visitor({ colorScheme: "light", reducedMotion: "reduce", ...phone });
    const dark = await visitor({ colorScheme: "dark", reducedMotion: "reduce" });
    const paths = await pages(await light.newPage());
    expect(paths.filter((path) => path.startsWith("/models/")).length).toBeGreaterThan(7);
    expect(paths.filter((path) => path.startsWith("/course/")).length).toBeGreaterThan(20);
    for (const path of paths) {
      const narrow = await open(light, path);
      const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
      expect(width, `${path} scrolls sideways`).toBe(WIDTH);
      expect(await findings(narrow), `${path} on a phone, light`).toEqual([]);
      await narrow.close();
      const wide = await open(dark, path);
      expect(await findings(wide), `${path}, dark`).toEqual([]);
      await wide.close();
    }
  },
  LIMIT_MILLISECONDS,
);
