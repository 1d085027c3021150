/** What `docs/store-invariants.md` asks of the stores in a tab, in workers of a real browser. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { inWorker, kitPage, type Ended, type Task } from "./kit";

interface Outcome {
  readonly number: number;
  readonly name: string;
  readonly finding: string | undefined;
}

/** The list's invariants that are checked everywhere, as "number name". */
function listed(): string[] {
  const list = readFileSync(join(import.meta.dirname, "../../docs/store-invariants.md"), "utf8");
  const rows = list.matchAll(/^\| (\d+) \| ([^|]+) \| everywhere \|/gm);
  return [...rows].map(([, number, name]) => `${number} ${name}`);
}

/** Every invariant of the list was run, and none is broken. */
function expectWhole({ done }: Ended): void {
  const outcomes = done as Outcome[];
  expect(outcomes.map(({ number, name }) => `${number} ${name}`)).toEqual(listed());
  const broken = outcomes.filter(({ finding }) => finding !== undefined);
  expect(
    broken.map(({ number, name, finding }) => `${number} ${name}: ${finding}`),
    "broken invariants",
  ).toEqual([]);
}

describe("the invariants of docs/store-invariants.md", () => {
  it("that hold everywhere hold for the memory store in a worker", async () => {
    expectWhole(await inWorker(await kitPage(), { task: "memory" }));
  });

  it("that hold everywhere hold for SQLite on OPFS", async () => {
    expectWhole(await inWorker(await kitPage(), { task: "opfs", folder: "kit" }));
  });
});

it("on OPFS a second opener and foreign files are refused, and files can be carried", async () => {
  const { done } = await inWorker(await kitPage(), { task: "files", folder: "files" });
  expect(done).toEqual([]);
});

describe("a database on OPFS", () => {
  const path = "survival/my.db";

  /** A worker that was ended may hold its files for a while; the test's own limit ends a wait that does not. */
  async function onceFree(page: Page, task: Task, endAfter?: number): Promise<Ended> {
    for (;;) {
      const ended = await inWorker(page, task, endAfter);
      if (ended.done !== "held") return ended;
      await new Promise((resume) => setTimeout(resume, 100));
    }
  }

  it("has everything when it is opened again in another worker (31)", async () => {
    const page = await kitPage();
    const { done, steps } = await inWorker(page, { task: "write", path, steps: 20 });
    expect({ done, steps: steps.length }).toEqual({ done: "closed", steps: 20 });
    const after = await onceFree(page, { task: "check", path, acknowledged: steps });
    expect(after.done).toBe("whole");
  });

  it("loses nothing acknowledged and has nothing in part when its worker is ended mid-write (40)", async () => {
    const page = await kitPage();
    const acknowledged: number[] = [];
    for (const round of [0, 1, 2]) {
      // Different lengths end the worker at different moments of its work.
      const enough = 20 + 13 * round;
      const { done, steps } = await onceFree(page, { task: "write", path, steps: Infinity }, enough);
      expect(done, `round ${round}: the worker is ended while it writes`).toBe("ended");
      expect(steps[0] ?? -1, `round ${round}: goes on from what is there`).toBeGreaterThanOrEqual(
        acknowledged.length,
      );
      acknowledged.push(...steps);
      const after = await onceFree(page, { task: "check", path, acknowledged });
      expect(after.done, `round ${round}`).toBe("whole");
    }
  });
});
