/** The reader's answer to the exercise: its requests, what the last check found, and how many hints were opened. All
 *  but the verdict is kept in this browser. */
import { RequestForm } from "../console/form.svelte";
import type { LessonExercise, Verdict } from "../contract";
import { lessonsDone, markDone } from "../course/progress";
import { forget, keep, kept } from "../kept";
import type { Request } from "../studio/ledger.svelte";
import type { Session } from "../studio/session.svelte";
import { requestOf } from "./run.svelte";

/** More requests than these are no answer that a lesson asks for. */
export const REQUESTS_MAX = 10;

interface KeptAttempt {
  readonly requests: readonly Request[];
  readonly hints: number;
}

/** What the last check found, and of which requests. */
export interface Checked {
  /** How many checks there were so far. */
  readonly number: number;
  readonly requests: readonly Request[];
  readonly verdict: Verdict;
}

/** One reader's attempt at one exercise. */
export class Attempt {
  readonly lesson: string;
  readonly exercise: LessonExercise;
  readonly operations: readonly string[];
  forms = $state.raw<readonly RequestForm[]>([]);
  hints = $state(0);
  checking = $state(false);
  checked = $state.raw<Checked | null>(null);
  /** Whether the exercise passed at an earlier visit. */
  readonly passedBefore: boolean;
  /** Why the last check found nothing: the engine ended under it. */
  broken = $state("");

  /** Whether the requests are other than those that were checked. */
  readonly stale = $derived(
    this.checked !== null && JSON.stringify(this.checked.requests) !== JSON.stringify(this.requests),
  );

  readonly #key: string;

  constructor(lesson: string, exercise: LessonExercise, operations: readonly string[]) {
    this.lesson = lesson;
    this.exercise = exercise;
    this.operations = operations;
    this.#key = `keyplan.lesson.${lesson}`;
    this.passedBefore = lessonsDone().has(lesson);
    const before = kept(this.#key, isAttempt);
    this.hints = Math.min(before?.hints ?? 0, exercise.hints);
    this.#take(before === null || before.requests.length === 0 ? this.#starts : before.requests);
  }

  /** The requests as they would be sent. */
  get requests(): readonly Request[] {
    return this.forms.map(({ request }) => request);
  }

  /** Keeps the attempt for the next visit; nothing where it is as at the start. */
  keep(): void {
    const { requests, hints } = this;
    if (hints === 0 && JSON.stringify(requests) === JSON.stringify(this.#starts)) forget(this.#key);
    else keep(this.#key, { requests, hints } satisfies KeptAttempt);
  }

  /** Adds a request like the last. */
  add(): void {
    const last = this.requests.at(-1);
    if (last !== undefined && this.forms.length < REQUESTS_MAX)
      this.forms = [...this.forms, this.#formOf(last)];
  }

  /** Takes a request away; one stays. */
  remove(form: RequestForm): void {
    if (this.forms.length > 1) this.forms = this.forms.filter((each) => each !== form);
  }

  /** Back to the exercise as it starts. What is done stays done. */
  startOver(): void {
    this.#take(this.#starts);
    this.hints = 0;
    this.checked = null;
    this.broken = "";
  }

  /** Has the requests checked, as they are now. */
  async check(session: Pick<Session, "check">): Promise<void> {
    if (this.checking) return;
    const { requests } = this;
    this.checking = true;
    this.broken = "";
    try {
      const verdict = await session.check(this.exercise.grading, requests);
      this.checked = { number: (this.checked?.number ?? 0) + 1, requests, verdict };
      if (verdict.passed) markDone(this.lesson);
    } catch (error) {
      this.broken = error instanceof Error ? error.message : String(error);
    } finally {
      this.checking = false;
    }
  }

  get #starts(): readonly Request[] {
    return this.exercise.starts.map(requestOf);
  }

  #take(requests: readonly Request[]): void {
    this.forms = requests.slice(0, REQUESTS_MAX).map((request) => this.#formOf(request));
  }

  #formOf(request: Request): RequestForm {
    const form = new RequestForm({ patterns: [] }, this.operations);
    form.load(request);
    form.show("json");
    return form;
  }
}

function isAttempt(value: unknown): value is KeptAttempt {
  const { requests, hints } = (value ?? {}) as Partial<KeptAttempt>;
  return typeof hints === "number" && Array.isArray(requests) && requests.every(isRequest);
}

function isRequest(value: unknown): value is Request {
  const { operation, body } = (value ?? {}) as Partial<Request>;
  return typeof operation === "string" && typeof body === "string";
}
