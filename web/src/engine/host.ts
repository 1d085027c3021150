/** The worker's inside: messages in, answers out, one queue a store. It knows nothing of `postMessage`, so a
 *  test can hold it in its hand. */
import type { SetupRequest } from "../contract";
import type { Answer, ControlMessage, Message, Opened, StoreOptions } from "./protocol";
import type { Modules } from "./modules";
import type { TabWithFiles } from "./tab";

/** Store entries that one step of the engine's jobs may touch. */
const STEP_BUDGET_ENTRIES = 500;

/** How long a file is waited for that another worker holds. One that was ended lets go of its files only when it
 *  has really ended: Chromium gives a busy one two seconds for that, and a busy machine takes more. */
const HELD_LIMIT_MILLISECONDS = 15_000;
const HELD_PAUSE_MILLISECONDS = 100;

/** What the host draws from outside. */
export interface Surroundings {
  now(): number;
  /** Whether this browser gives the worker a private file system. */
  hasOpfs(): Promise<boolean>;
  /** Calls back once, after so many milliseconds. */
  after(milliseconds: number, call: () => void): void;
  /** Calls back once, behind the messages that have come already. */
  soon(call: () => void): void;
  post(answer: Answer): void;
}

/** An answer, and the moment before which it isn't posted. */
interface Held {
  readonly moment: number;
  readonly answer: Answer;
}

/** An answer that is posted when what was written before it is synced. */
interface Unsynced {
  readonly moment: number | undefined;
  readonly answer: Answer;
}

/** The stores of the tab, and what is to be done on each in turn. */
export class Host {
  readonly #tab: TabWithFiles | Modules;
  readonly #surroundings: Surroundings;
  readonly #queues = new Map<string, Promise<void>>();
  readonly #options = new Map<string, StoreOptions>();
  /** When each store's next step is due, as far as a timer waits for it. */
  readonly #due = new Map<string, number>();
  /** The weather that each store was given, to give it again when it begins anew. */
  readonly #weather = new Map<string, string>();
  /** Answers that the weather holds back, each until a moment of the clock. */
  #held: Held[] = [];
  /** Of each store whose writes are to survive a loss of power, the answers that wait for a sync. Those to requests
   *  that came together are posted after one sync for all. */
  readonly #unsynced = new Map<string, Unsynced[]>();

  constructor(tab: TabWithFiles | Modules, surroundings: Surroundings) {
    this.#tab = tab;
    this.#surroundings = surroundings;
  }

  /** Takes a message; its answer is posted when its turn on its store has come. */
  receive(message: Message): void {
    this.#queue(message.store, () => this.#carryOut(message));
    this.#queue(message.store, () => this.#step(message.store));
  }

  #queue(store: string, work: () => Promise<void> | void): void {
    const before = this.#queues.get(store) ?? Promise.resolve();
    this.#queues.set(store, before.then(work));
  }

  async #carryOut(message: Message): Promise<void> {
    const { post, now } = this.#surroundings;
    try {
      if ("control" in message) {
        const done = await this.#control(message);
        this.#sync(message.store);
        post({ id: message.id, done });
      } else {
        const reply = this.#tab.dispatch(
          message.store,
          message.target,
          message.body,
          now(),
          true,
          message.region,
        );
        const { status, body, trace, price, not_before } = reply;
        reply.free();
        this.#answer(message.store, { id: message.id, status, body, trace, price }, not_before);
      }
    } catch (error) {
      post({ id: message.id, ...failure(error) });
    }
  }

  /** Posts an answer, on a store whose writes are synced with all that come in the same moment. */
  #answer(store: string, answer: Answer, moment: number | undefined): void {
    const waiting = this.#unsynced.get(store);
    if (waiting === undefined) return this.#post(answer, moment);
    if (waiting.length === 0) this.#surroundings.soon(() => this.#sync(store));
    waiting.push({ answer, moment });
  }

  /** Syncs a store, if it is one to be synced, and posts the answers that wait for it. */
  #sync(store: string): void {
    const waiting = this.#unsynced.get(store)?.splice(0);
    if (waiting === undefined) return;
    try {
      this.#tab.sync(store);
    } catch (error) {
      for (const { answer } of waiting) this.#surroundings.post({ id: answer.id, ...failure(error) });
      return;
    }
    for (const { answer, moment } of waiting) this.#post(answer, moment);
  }

  /** Posts an answer when its moment has come. What is asked meanwhile doesn't wait for it. */
  #post(answer: Answer, moment: number | undefined): void {
    if (moment === undefined) return this.#surroundings.post(answer);
    this.#held.push({ moment, answer });
    this.#release();
  }

  /** Posts the held answers whose moment has come, and looks again when the next one's has. By a clock that stands
   *  nothing takes time, so then none is held. */
  #release(): void {
    const { now, after, post } = this.#surroundings;
    const machine = now();
    const still: Held[] = [];
    let next = Infinity;
    for (const held of this.#held) {
      const wait = this.#tab.until(held.moment, machine) ?? 0;
      if (wait === 0) {
        post(held.answer);
        continue;
      }
      still.push(held);
      next = Math.min(next, wait);
    }
    this.#held = still;
    if (next !== Infinity) after(next, () => this.#release());
  }

  async #control(message: ControlMessage): Promise<unknown> {
    const { store } = message;
    switch (message.control) {
      case "open":
        return this.#open(store, message.options);
      case "close":
        this.#sync(store);
        this.#unsynced.delete(store);
        this.#tab.close(store);
        this.#options.delete(store);
        this.#weather.delete(store);
        return undefined;
      case "inspect":
        return this.#tab.inspect(store, message.table, message.index);
      case "undo":
        return this.#tab.undo(store, this.#surroundings.now());
      case "export":
        return this.#tab.image(store);
      case "check":
        return this.#tab.check(message.grading, message.requests, this.#surroundings.now());
      case "weather": {
        const report = this.#tab.weather(store, message.weather);
        if (message.weather !== undefined) this.#weather.set(store, message.weather);
        return report;
      }
      case "clock": {
        const { advance, to, rate } = message;
        const state = this.#tab.clock(JSON.stringify({ advance, to, rate }), this.#surroundings.now());
        // What was to wait for the old time waits for the new one.
        this.#due.clear();
        this.#release();
        for (const open of this.#options.keys()) this.#queue(open, () => this.#step(open));
        return state;
      }
      case "prices":
        this.#tab.set_prices(message.prices);
        return undefined;
      case "reset": {
        const options = this.#options.get(store);
        if (options?.kind !== "memory") throw new Error(`${store} has no start to go back to`);
        this.#tab.close(store);
        return this.#open(store, options);
      }
    }
  }

  async #open(store: string, options: StoreOptions): Promise<Opened> {
    this.#sync(store);
    this.#unsynced.delete(store);
    this.#options.set(store, options);
    const opened = await this.#begin(store, options);
    const weather = this.#weather.get(store);
    if (weather !== undefined) this.#tab.weather(store, weather);
    return opened;
  }

  async #begin(store: string, options: StoreOptions): Promise<Opened> {
    if (options.kind === "memory") {
      this.#tab.open_memory(store);
      for (const request of options.setup) this.#setUp(store, request);
      return "memory";
    }
    if (options.kind === "copy") {
      await this.#tab.open_image(store, options.image);
      return "memory";
    }
    if (await this.#surroundings.hasOpfs()) {
      await this.#openFile(store, options.path);
      if (options.durability !== "relaxed") this.#unsynced.set(store, []);
      return "opfs";
    }
    this.#tab.open_memory(store);
    return "memory";
  }

  async #openFile(store: string, path: string): Promise<void> {
    for (let waited = 0; !(await this.#tab.open_opfs(store, path)); waited += HELD_PAUSE_MILLISECONDS) {
      if (waited >= HELD_LIMIT_MILLISECONDS)
        throw new Error(`${path} is held by another page of this browser; close it, then try again`);
      await new Promise<void>((resume) => this.#surroundings.after(HELD_PAUSE_MILLISECONDS, resume));
    }
  }

  #setUp(store: string, { target, body }: SetupRequest): void {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const reply = this.#tab.dispatch(store, target, bytes, this.#surroundings.now(), false, undefined);
    const refused = reply.status === 200 ? null : new TextDecoder().decode(reply.body);
    reply.free();
    if (refused !== null) throw new Error(`${target}: ${refused}`);
  }

  /** Advances the store's jobs, then again when the next is due. Nobody asked for it, so its failure is nobody's
   *  answer and no reason to start again: it is tried again after the next message, which meets what is wrong with
   *  the store itself. */
  #step(store: string): void {
    if (!this.#options.has(store)) return;
    const { now, after } = this.#surroundings;
    let due: number | undefined;
    try {
      due = this.#tab.step(store, now(), STEP_BUDGET_ENTRIES);
    } catch {
      return;
    }
    const waitedFor = this.#due.get(store);
    if (due === undefined || (waitedFor !== undefined && waitedFor <= due)) return;
    this.#due.set(store, due);
    after(Math.max(0, due - now()), () => {
      if (this.#due.get(store) === due) this.#due.delete(store);
      this.#queue(store, () => this.#step(store));
    });
  }
}

/** Why a message was not carried out. */
function failure(error: unknown): { failed: "panic" | "refused"; reason: string } {
  const failed = error instanceof WebAssembly.RuntimeError ? "panic" : "refused";
  return { failed, reason: error instanceof Error ? error.message : String(error) };
}
