/** Every step and every recorded answer of every lesson, on the engine in a tab: it answers and grades as natively.
 *  The record is what `cargo xtask test browser` writes; the engine's package is answered from its folder. */
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { site, visitor } from "./studio";

interface Sent {
  readonly target: string;
  readonly body: string;
}

interface Recorded {
  readonly lesson: string;
  readonly setup: readonly Sent[];
  readonly steps: readonly {
    readonly request: Sent;
    readonly status: number;
    readonly body: string;
    readonly trace: string | null;
  }[];
  readonly grading: string;
  readonly answers: readonly {
    readonly name: string;
    readonly requests: readonly Sent[];
    readonly passed: boolean;
    readonly verdict: string;
  }[];
}

const HERE = import.meta.dirname;
const PACKAGE = join(HERE, "../engine-pkg");

function record(): { readonly now: number; readonly lessons: readonly Recorded[] } {
  const file = process.env["KEYPLAN_LESSONS_RECORD"] ?? join(HERE, "../../target/lessons.json");
  if (!existsSync(file)) throw new Error(`no record in ${file}: run \`cargo xtask test browser\``);
  return JSON.parse(readFileSync(file, "utf8")) as { now: number; lessons: Recorded[] };
}

const { now, lessons } = record();

// Here and not in what the page is asked to evaluate, where the tests' runner would rewrite the import.
const ENGINE_PAGE = `<!doctype html>
<script>
  window.engine = import("./keyplan_browser.js").then(async (engine) => {
    await engine.default({ module_or_path: "keyplan_browser_bg.wasm" });
    return engine;
  });
</script>`;

/** An empty page beside the engine's package. */
async function enginePage(): Promise<Page> {
  const context = await visitor();
  await context.route(site("/engine/*"), async (route) => {
    const name = basename(new URL(route.request().url()).pathname);
    if (name === "page.html") await route.fulfill({ contentType: "text/html", body: ENGINE_PAGE });
    else await route.fulfill({ path: join(PACKAGE, name) });
  });
  const page = await context.newPage();
  await page.goto(site("/engine/page.html"));
  return page;
}

/** What the tab's engine makes of a lesson. */
function inTab(page: Page, lesson: Recorded): Promise<{ steps: unknown[]; verdicts: string[] }> {
  return page.evaluate(
    async ([{ setup, steps, grading, answers }, time]) => {
      interface Tab {
        open_memory(store: string): void;
        dispatch(
          store: string,
          target: string,
          body: Uint8Array,
          now: number,
          trace: boolean,
        ): { status: number; body: Uint8Array; trace?: string };
        check(grading: string, requests: string, now: number): string;
      }
      const { Tab } = (await (window as unknown as { engine: Promise<unknown> }).engine) as {
        Tab: new () => Tab;
      };
      const tab = new Tab();
      tab.open_memory("lesson");
      const ask = ({ target, body }: Sent): ReturnType<Tab["dispatch"]> =>
        tab.dispatch("lesson", target, new TextEncoder().encode(body), time, true);
      for (const request of setup) {
        const reply = ask(request);
        if (reply.status !== 200) throw new Error(new TextDecoder().decode(reply.body));
      }
      const replies = steps.map(({ request }) => {
        const { status, body, trace } = ask(request);
        return { status, body: new TextDecoder().decode(body), trace: trace ?? null };
      });
      const verdicts = answers.map(({ requests }) => tab.check(grading, JSON.stringify(requests), time));
      return { steps: replies, verdicts };
    },
    [lesson, now] as const,
  );
}

describe("a lesson in the tab", () => {
  let page: Page;
  beforeAll(() => expect(lessons.length).toBeGreaterThan(0));

  it.each(lessons)("$lesson: steps and grading are those of the native engine", async (lesson) => {
    page = await enginePage();
    const { steps, verdicts } = await inTab(page, lesson);
    expect(steps).toEqual(lesson.steps.map(({ status, body, trace }) => ({ status, body, trace })));
    lesson.answers.forEach(({ name, verdict, passed }, place) => {
      expect(verdicts[place], name).toBe(verdict);
      expect((JSON.parse(verdict) as { passed: boolean }).passed, name).toBe(passed);
      expect(passed, name).toBe(name.startsWith("solution"));
    });
  });
});
