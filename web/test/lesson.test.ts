import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LessonData, LessonExercise, StatedAnswer, Verdict } from "../src/contract";
import { lessonsDone, forgetProgress } from "../src/course/progress";
import { forget } from "../src/kept";
import { Attempt, REQUESTS_MAX } from "../src/lesson/attempt.svelte";
import { figuresOf, otherThanStated, summed } from "../src/lesson/figures";
import { seenBy } from "../src/lesson/saw";
import { Ledger } from "../src/studio/ledger.svelte";
import type { Session } from "../src/studio/session.svelte";
import { inspectionOf } from "./fake-tab";
import { key, readAccess, traceOf } from "./traces";

const EXERCISE: LessonExercise = {
  id: "exercise",
  title: "Which trips?",
  starts: [{ target: "DynamoDB_20120810.Scan", body: { TableName: "Trips" } }],
  several: false,
  contract: ["Items: 3"],
  hints: 3,
  grading: { opaque: true },
};
const OPERATIONS = ["Query", "Scan"];
const PASSED: Verdict = { passed: true, checks: [], receipts: [] };

function attempt(): Attempt {
  return new Attempt("trips", EXERCISE, OPERATIONS);
}

/** A session that finds every answer to be this. */
function finding(verdict: Verdict): { session: Pick<Session, "check">; asked: unknown[] } {
  const asked: unknown[] = [];
  const check = async (grading: unknown, requests: unknown): Promise<Verdict> => {
    asked.push(grading, requests);
    return verdict;
  };
  return { session: { check }, asked };
}

beforeEach(() => {
  const values = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  });
});
afterEach(() => {
  forget("keyplan.lesson.trips");
  forgetProgress();
  vi.unstubAllGlobals();
});

describe("an attempt", () => {
  it("begins with the exercise's requests and is there at the next visit as it was left", () => {
    const first = attempt();
    expect(first.requests).toEqual([{ operation: "Scan", body: '{\n  "TableName": "Trips"\n}' }]);
    first.forms[0]!.text = "{";
    first.add();
    first.forms[1]!.operation = "Query";
    first.hints = 2;
    first.keep();
    const second = attempt();
    expect(second.requests).toEqual([
      { operation: "Scan", body: "{" },
      { operation: "Query", body: "{" },
    ]);
    expect(second.hints).toBe(2);
    second.startOver();
    second.keep();
    expect(attempt().requests).toEqual(
      EXERCISE.starts
        .map(() => first.requests[0])
        .map(() => ({ operation: "Scan", body: '{\n  "TableName": "Trips"\n}' })),
    );
    expect(attempt().hints).toBe(0);
  });

  it("has at least one request and at most so many", () => {
    const one = attempt();
    one.remove(one.forms[0]!);
    expect(one.forms).toHaveLength(1);
    for (let more = 0; more < REQUESTS_MAX + 2; more += 1) one.add();
    expect(one.forms).toHaveLength(REQUESTS_MAX);
  });

  it("is checked as it was typed, and the lesson is done once it passed", async () => {
    const one = attempt();
    one.forms[0]!.text = '{ "TableName": 1e2 }';
    const { session, asked } = finding({ ...PASSED, passed: false });
    await one.check(session);
    expect(asked).toEqual([{ opaque: true }, [{ operation: "Scan", body: '{ "TableName": 1e2 }' }]]);
    expect(lessonsDone().has("trips")).toBe(false);
    await one.check(finding(PASSED).session);
    expect(one.checked?.number).toBe(2);
    expect(lessonsDone().has("trips")).toBe(true);
    expect(one.stale).toBe(false);
    one.forms[0]!.text = "{}";
    expect(one.stale).toBe(true);
  });

  it("says so when the engine ended under the check", async () => {
    const one = attempt();
    await one.check({
      check: () => Promise.reject(new Error("the worker ended")),
    });
    expect([one.broken, one.checking, one.checked]).toEqual(["the worker ended", false, null]);
  });
});

describe("figures", () => {
  const trace = traceOf(readAccess("kiel", "000", "002", 3, ["001"]));

  it("are added up over requests", () => {
    const { read } = trace.units;
    expect(figuresOf(trace, null, trace)).toEqual({ examined: 6, returned: 2, read: read * 2, write: 0 });
    expect(summed([null])).toBeNull();
    expect(summed([trace, trace])?.units.read).toBe(read * 2);
  });

  it("that are not as stated are named", () => {
    const request = { operation: "Query", body: '{"TableName":"Trips"}' };
    const entry = new Ledger().add(request, { status: 200, text: "{}", trace }, new Date(0));
    const stated: StatedAnswer = { examined: 3, returned: 1, read: trace.units.read };
    expect(otherThanStated(stated, entry)).toBeNull();
    expect(otherThanStated({ examined: 15, error: "ValidationException" }, entry)).toBe(
      "15 examined, ValidationException",
    );
  });
});

it("a check's key plan marks what was read, in the tables that were read alone", () => {
  const items = ["000", "001", "002"].map((sort) => key("kiel", sort));
  const data = {
    inspections: [inspectionOf("Trips", items), inspectionOf("Others", items)],
    indexInspections: [],
  } as unknown as LessonData;
  const trace = traceOf(readAccess("kiel", "000", "001", 2, ["001"]));
  const plans = seenBy(data, { ...PASSED, receipts: [{ status: 200, trace }] });
  expect(plans.map(({ name }) => name)).toEqual(["Trips"]);
  expect(plans[0]?.label).toBe("Key plan of Trips: 2 items examined in 1 partition, 1 returned");
  expect(plans[0]?.rooms[0]?.cells.map(({ examined, returned }) => [examined, returned])).toEqual([
    [true, false],
    [true, true],
    [false, false],
  ]);
});
