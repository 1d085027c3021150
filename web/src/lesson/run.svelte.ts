/** A lesson under way: which of its steps ran, and who sent the last request. */
import { written } from "../console/template";
import type { LessonData, LessonStep, SetupRequest } from "../contract";
import { TARGET_PREFIX } from "../engine/protocol";
import type { Entry, Request } from "../studio/ledger.svelte";
import type { Session } from "../studio/session.svelte";

/** A part of the page that sends requests: a step by its id, the exercise, or the reader's own console. */
export type Sender = string;
export const EXERCISE: Sender = "exercise";
export const OWN: Sender = "own";

/** The steps of a lesson on its session. */
export class LessonRun {
  readonly data: LessonData;
  readonly session: Session;
  sender = $state<Sender>("");
  runningAll = $state(false);
  #ran = $state.raw<Readonly<Record<string, Entry>>>({});

  constructor(data: LessonData, session: Session) {
    this.data = data;
    this.session = session;
  }

  /** What a step's request was answered; nothing before it ran, and after a reset. */
  entryOf(step: LessonStep): Entry | null {
    const ran = this.#ran[step.id];
    if (ran === undefined) return null;
    // The ledger marks an undone request by another entry of the same moment.
    return this.session.ledgers.tab.entries.find(({ at }) => at === ran.at) ?? null;
  }

  /** The last request's entry, if this part sent it. */
  lastOf(sender: Sender): Entry | null {
    return this.sender === sender ? this.session.current : null;
  }

  /** Runs one step on the lesson's own tables. */
  async runStep(step: LessonStep): Promise<Entry | null> {
    if (this.session.endpoint !== "tab") await this.session.choose("tab");
    const entry = await this.send(step.id, requestOf(step.request));
    if (entry !== null) this.#ran = { ...this.#ran, [step.id]: entry };
    return entry;
  }

  /** Runs all steps in their order, until one is not answered. */
  async runAll(): Promise<void> {
    if (this.runningAll) return;
    this.runningAll = true;
    try {
      for (const step of this.data.steps) if ((await this.runStep(step)) === null) return;
    } finally {
      this.runningAll = false;
    }
  }

  /** Sends a request for a part of the page. */
  async send(sender: Sender, request: Request): Promise<Entry | null> {
    if (this.session.state === "running") return null;
    this.sender = sender;
    return this.session.run(request, null);
  }
}

/** A request of the lesson as the console has it. */
export function requestOf({ target, body }: SetupRequest): Request {
  return { operation: target.slice(TARGET_PREFIX.length), body: written(body) };
}
