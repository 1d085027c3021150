/** The page's side of the worker: asks, matches answers to questions, and starts the worker again on the same
 *  data when it has stopped. */
import type { Inspection, Price, Trace, Verdict } from "../contract";
import {
  TARGET_PREFIX,
  type Answer,
  type ClockMove,
  type ClockState,
  type Message,
  type Opened,
  type StoreOptions,
  type Undone,
  type WeatherReport,
} from "./protocol";

/** As much of a Worker as the client uses. */
export interface WorkerLike {
  postMessage(message: Message): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<Answer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** What the service answered, and the engine's account of it. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly trace: Trace | null;
  /** What a million such requests cost, where prices are known. */
  readonly price?: Price | null;
}

/** The worker ended before it answered. */
export class EngineStopped extends Error {
  override readonly name = "EngineStopped";
  readonly by: "panic" | "stop";
  constructor(by: "panic" | "stop", reason: string) {
    super(reason);
    this.by = by;
  }
}

/** A message was refused, and the engine goes on. */
export class EngineRefused extends Error {
  override readonly name = "EngineRefused";
}

type Change = { readonly target: string; readonly body: Uint8Array } | "undo";

interface OpenStore {
  readonly options: StoreOptions;
  readonly opened: Opened;
  /** What has changed a memory store since its start, to bring it back to where it was. */
  changes: Change[];
  /** Its weather, as it was asked for. */
  weather?: string;
  /** When it is as it was, after the worker was started again. */
  ready: Promise<void>;
}

interface Waiting {
  readonly answered: (answer: Answer) => void;
  readonly failed: (error: Error) => void;
}

/** The queue of checks; no store is called so. */
const CHECKS = "checks";

/** Operations that leave every store as it was. */
const READS = /^(Get|BatchGet|Query|Scan|List|Describe)/;

/** One engine in one worker. */
export class EngineClient {
  readonly #start: () => WorkerLike;
  readonly #stores = new Map<string, OpenStore>();
  readonly #waiting = new Map<number, Waiting>();
  #prices: string | undefined;
  /** What the clock showed last, and when that was: it goes on from there in a new worker. */
  #clock: (ClockState & { readonly seen: number }) | undefined;
  #worker: WorkerLike;
  #next = 1;

  constructor(start: () => WorkerLike) {
    this.#start = start;
    this.#worker = this.#listen(start());
  }

  /** Opens a store; the answer says where it stands, which for OPFS may be memory. */
  async open(store: string, options: StoreOptions): Promise<Opened> {
    const opened = (await this.#ask({ id: this.#next++, control: "open", store, options })) as Opened;
    this.#stores.set(store, { options, opened, changes: [], ready: Promise.resolve() });
    return opened;
  }

  /** Hands the price file over, from which every later answer is priced. */
  async prices(file: string): Promise<void> {
    this.#prices = file;
    await this.#ask({ id: this.#next++, control: "prices", store: "", prices: file });
  }

  /** Sets a store's weather, where it is given, and tells what it is and what has come of it. */
  async weather(store: string, weather?: unknown): Promise<WeatherReport> {
    const asked = weather === undefined ? {} : { weather: JSON.stringify(weather) };
    const text = await this.#control({ id: this.#next++, control: "weather", store, ...asked });
    const open = this.#stores.get(store);
    if (open !== undefined && asked.weather !== undefined) open.weather = asked.weather;
    return JSON.parse(String(text)) as WeatherReport;
  }

  /** Moves the clock of all stores forward, or sets how fast it runs; without either only tells what it shows. */
  async clock(move: ClockMove = {}): Promise<ClockState> {
    const text = await this.#ask({ id: this.#next++, control: "clock", store: "", ...move });
    const state = JSON.parse(String(text)) as ClockState;
    this.#clock = { ...state, seen: Date.now() };
    return state;
  }

  /** Closes a store and forgets it. */
  async close(store: string): Promise<void> {
    await this.#control({ id: this.#next++, control: "close", store });
    this.#stores.delete(store);
  }

  /** Sends a DynamoDB request. */
  async dispatch(store: string, operation: string, body: string): Promise<Reply> {
    await this.#stores.get(store)?.ready;
    const target = TARGET_PREFIX + operation;
    const bytes = new TextEncoder().encode(body);
    const answer = await this.#send({ id: this.#next++, store, target, body: bytes });
    if (!("status" in answer)) throw new EngineRefused("the engine gave no answer to a request");
    if (answer.status === 200 && !READS.test(operation))
      this.#stores.get(store)?.changes.push({ target, body: bytes });
    return {
      status: answer.status,
      text: new TextDecoder().decode(answer.body),
      trace: answer.trace === undefined ? null : (JSON.parse(answer.trace) as Trace),
      price: answer.price === undefined ? null : (JSON.parse(answer.price) as Price),
    };
  }

  /** The names of a store's tables. */
  async tables(store: string): Promise<readonly string[]> {
    const { text } = await this.dispatch(store, "ListTables", "{}");
    const { TableNames } = JSON.parse(text) as { TableNames?: readonly unknown[] };
    return (TableNames ?? []).map(String);
  }

  /** A table's items, or an index's entries, by partition. */
  async inspect(store: string, table: string, index: string | null = null): Promise<Inspection> {
    const of = index === null ? { table } : { table, index };
    const text = await this.#control({ id: this.#next++, control: "inspect", store, ...of });
    return JSON.parse(String(text)) as Inspection;
  }

  /** Takes the last change back; nothing when there is none. */
  async undo(store: string): Promise<Undone | null> {
    const text = await this.#control({ id: this.#next++, control: "undo", store });
    if (text === undefined) return null;
    this.#stores.get(store)?.changes.push("undo");
    return JSON.parse(String(text)) as Undone;
  }

  /** Grades an answer to an exercise; no store is touched. A request's body is the text that was typed. */
  async check(
    grading: unknown,
    requests: readonly { readonly target: string; readonly body: string }[],
  ): Promise<Verdict> {
    const text = await this.#ask({
      id: this.#next++,
      control: "check",
      store: CHECKS,
      grading: JSON.stringify(grading),
      requests: JSON.stringify(requests),
    });
    return JSON.parse(String(text)) as Verdict;
  }

  /** The bytes of a database's file as it is now, from which a copy opens. */
  async export(store: string): Promise<Uint8Array> {
    return (await this.#control({ id: this.#next++, control: "export", store })) as Uint8Array;
  }

  /** Brings a memory store back to its start. */
  async reset(store: string): Promise<void> {
    await this.#control({ id: this.#next++, control: "reset", store });
    const open = this.#stores.get(store);
    if (open !== undefined) open.changes = [];
  }

  /** Stops what runs, by ending the worker, and starts again on the same data. */
  async stop(): Promise<void> {
    this.#end("stop", "The request was stopped.");
    await Promise.allSettled([...this.#stores.values()].map(({ ready }) => ready));
  }

  /** Ends the worker for good. */
  end(): void {
    this.#worker.terminate();
  }

  async #control(message: Message): Promise<unknown> {
    await this.#stores.get(message.store)?.ready;
    return this.#ask(message);
  }

  async #ask(message: Message): Promise<unknown> {
    const answer = await this.#send(message);
    return "done" in answer ? answer.done : undefined;
  }

  #send(message: Message): Promise<Answer> {
    return new Promise((answered, failed) => {
      this.#waiting.set(message.id, { answered, failed });
      this.#worker.postMessage(message);
    });
  }

  #listen(worker: WorkerLike): WorkerLike {
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => this.#end("panic", event.message);
    return worker;
  }

  #receive(answer: Answer): void {
    if ("failed" in answer && answer.failed === "panic") {
      this.#end("panic", answer.reason);
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ("failed" in answer) waiting?.failed(new EngineRefused(answer.reason));
    else waiting?.answered(answer);
  }

  #end(cause: "panic" | "stop", reason: string): void {
    this.#worker.terminate();
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#worker = this.#listen(this.#start());
    if (this.#prices !== undefined) this.prices(this.#prices).catch(() => {});
    if (this.#clock !== undefined) {
      const { now, rate, seen } = this.#clock;
      this.clock({ to: Math.round(now + (Date.now() - seen) * rate), rate }).catch(() => {});
    }
    for (const [store, open] of this.#stores) {
      open.ready = this.#reopen(store, open);
      // Whoever asks the store next is told.
      open.ready.catch(() => {});
    }
    for (const { failed } of lost) failed(new EngineStopped(cause, reason));
  }

  /** A store as it was, where it was: a file opens again, a memory store takes its changes again. */
  async #reopen(store: string, { options, opened, changes, weather }: OpenStore): Promise<void> {
    const place = await this.#ask({ id: this.#next++, control: "open", store, options });
    if (place !== opened) throw new EngineRefused(`${store} did not open again where it was`);
    if (opened !== "opfs")
      for (const change of changes) {
        if (change === "undo") await this.#ask({ id: this.#next++, control: "undo", store });
        else await this.#send({ id: this.#next++, store, ...change });
      }
    if (weather !== undefined) await this.#ask({ id: this.#next++, control: "weather", store, weather });
  }
}
