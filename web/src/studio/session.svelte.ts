/** What the studio knows: the endpoint chosen, its ledger and its tables, and what is going on. */
import type { PageData } from "../contract";
import { EngineStopped, type EngineClient } from "../engine/client";
import { NoCopy } from "../engine/copies";
import {
  MY_DATABASE,
  openCopy,
  openMyDatabase,
  tablesOfMyDatabase,
  type Ownership,
  type Shared,
} from "../engine/database";
import { rememberUse, wasUsed } from "../engine/used";
import { counted } from "../figures";
import { sentenceOf } from "../receipt/lines";
import { copyDesign } from "./copying";
import { Ledger, objectOf, type Entry, type Request } from "./ledger.svelte";
import { TableView } from "./table-view.svelte";

/** The endpoints of the console: the design's memory store, and the reader's own database. */
export type EndpointId = "tab" | "mine";

/** Something the page has to say, and what can be done about it. */
export interface Notice {
  readonly title: string;
  readonly text: string;
  readonly actions: readonly { readonly label: string; readonly run: () => void }[];
}

/** The store of the design's own engine. */
const TAB_STORE = "tab";

/** Stop is offered to whoever has waited this long. */
const STOP_AFTER_MILLISECONDS = 300;

/** One page's studio. */
export class Session {
  readonly page: PageData;
  readonly ledgers: Readonly<Record<EndpointId, Ledger>> = { tab: new Ledger(), mine: new Ledger() };
  readonly views: Readonly<Record<EndpointId, TableView>>;

  endpoint = $state<EndpointId>("tab");
  state = $state<"starting" | "ready" | "running">("starting");
  stoppable = $state(false);
  notice = $state.raw<Notice | null>(null);
  announcement = $state("");
  ownership = $state<Ownership | null>(null);
  /** Units of each pattern as it last succeeded here. */
  lastUnits = $state<Record<string, Entry["trace"]>>({});

  readonly #client: EngineClient;
  readonly #shared: Shared;
  /** Starts an engine beside this one. */
  readonly #another: () => EngineClient;
  #ready: Promise<unknown> = Promise.resolve();
  /** A look into "my database" that is under way; opening it waits for that. */
  #look: Promise<void> = Promise.resolve();

  constructor(page: PageData, client: EngineClient, shared: Shared, another: () => EngineClient) {
    this.page = page;
    this.#client = client;
    this.#shared = shared;
    this.#another = another;
    this.views = { tab: new TableView(client, TAB_STORE), mine: new TableView(client, MY_DATABASE) };
    this.views.tab.begin(page);
  }

  /** Opens the design's store; requests made meanwhile wait for it. */
  async start(): Promise<void> {
    this.#ready = this.#client.open(TAB_STORE, { kind: "memory", setup: this.page.setup });
    try {
      await this.#ready;
      this.state = "ready";
    } catch (error) {
      this.#say("The engine did not start.", reasonOf(error));
      return;
    }
    if (wasUsed()) this.#look = this.#lookIntoMine();
    await this.#look;
  }

  /** Sends a request to the chosen endpoint and takes its answer into the ledger and the plan. */
  async run(request: Request, pattern: string | null): Promise<void> {
    await this.#busy(request, async () => {
      const { ledger, view } = this;
      const reply = await this.#client.dispatch(this.#store, request.operation, request.body);
      const entry = ledger.add(request, reply, new Date());
      if (pattern !== null && entry.error === null) this.lastUnits[pattern] = entry.trace;
      await view.refresh(entry.table === "" ? null : entry.table);
      // A request that reached no item leaves the marks of the one before.
      const accesses = entry.trace?.accesses ?? [];
      if (accesses.length > 0) view.mark(entry.number, accesses, entry.written);
      this.announcement = entry.error === null && entry.trace !== null ? sentenceOf(entry.trace) : "";
    });
  }

  /** Sends the request again that gave this entry, from where its page ended. */
  async nextPage(entry: Entry): Promise<void> {
    const body = objectOf(entry.request.body);
    const start = entry.answer?.["LastEvaluatedKey"];
    await this.run(
      {
        operation: entry.request.operation,
        body: JSON.stringify({ ...body, ExclusiveStartKey: start }, null, 2),
      },
      null,
    );
  }

  /** Takes back the last change of the chosen endpoint. */
  async undo(): Promise<void> {
    await this.#busy(null, async () => {
      const { ledger, view } = this;
      const undone = await this.#client.undo(this.#store);
      if (undone === null) {
        this.#say("Nothing to undo.", "No change is kept that could be taken back.");
        return;
      }
      const entry = ledger.markUndone(undone);
      await view.refresh(undone.table);
      view.mark(0, []);
      const which = entry === null ? "" : `No. ${entry.number}, `;
      this.announcement = `Undone: ${which}${undone.operation} on ${undone.table}.`;
      this.#say("Undone.", `${which}${undone.operation} on ${undone.table}.`);
    });
  }

  /** Brings the design back to its start. */
  async reset(): Promise<void> {
    await this.#busy(null, async () => {
      await this.#client.reset(TAB_STORE);
      this.ledgers.tab.clear();
      this.lastUnits = {};
      this.views.tab.begin(this.page);
      this.announcement = "The design is as it was at the start.";
    });
  }

  /** Ends what runs; the engine starts again on the same data. */
  async stop(): Promise<void> {
    if (this.state === "running") await this.#client.stop();
  }

  /** Points the console at an endpoint. */
  async choose(endpoint: EndpointId): Promise<void> {
    this.notice = null;
    if (endpoint === "mine") {
      if (!(await this.#openMine())) return;
      try {
        await this.views.mine.refresh(null);
      } catch (error) {
        this.#failed(error, null);
        return;
      }
    }
    this.endpoint = endpoint;
  }

  /** Works on a copy of "my database" while another tab owns it. */
  async useCopy(): Promise<void> {
    await this.#busy(null, async () => {
      try {
        await openCopy(this.#client, this.#shared);
        this.ownership = "copy";
      } catch (error) {
        if (!(error instanceof NoCopy)) throw error;
        this.#say("There is no copy.", `${error.message} Close my database there, then try again.`, [
          this.#tryAgain,
        ]);
      }
    });
    if (this.ownership === "copy") await this.choose("mine");
  }

  /** Draws another table of the chosen endpoint. */
  async show(table: string): Promise<void> {
    await this.view.refresh(table);
  }

  /** Copies the design into "my database". */
  async copy(replace: boolean): Promise<void> {
    this.notice = null;
    if (!(await this.#openMine())) return;
    await this.#busy(null, async () => {
      const copied = await copyDesign(this.#client, this.page, replace);
      await this.views.mine.refresh(this.page.tables[0] ?? null);
      this.views.mine.mark(0, []);
      switch (copied.outcome) {
        case "copied":
          this.#say(
            `Copied into ${this.ownership === "copy" ? "the copy of my database" : "my database"}.`,
            `${copied.tables.join(", ")}, ${counted(copied.items, "item")}.`,
          );
          break;
        case "there already":
          this.#say(
            `${copied.tables.join(", ")} is in my database already.`,
            "Replacing deletes the table there with all its items, then copies this design.",
            [
              { label: "Replace", run: () => void this.copy(true) },
              { label: "Leave it", run: () => (this.notice = null) },
            ],
          );
          break;
        case "refused":
          this.#say("The copy was refused.", copied.reason);
      }
    });
  }

  /** The chosen endpoint's requests. */
  get ledger(): Ledger {
    return this.ledgers[this.endpoint];
  }

  /** The chosen endpoint's tables. */
  get view(): TableView {
    return this.views[this.endpoint];
  }

  /** The last request to the chosen endpoint. */
  get current(): Entry | null {
    return this.ledger.entries.at(-1) ?? null;
  }

  get #tryAgain(): Notice["actions"][number] {
    return { label: "Try again", run: () => void this.choose("mine") };
  }

  get #store(): string {
    return this.endpoint === "tab" ? TAB_STORE : MY_DATABASE;
  }

  /** Finds out what is in "my database" without keeping it from other tabs. What fails here fails again, and is
   *  said, when the reader opens it. */
  async #lookIntoMine(): Promise<void> {
    try {
      const found = await tablesOfMyDatabase(this.#another(), this.#shared);
      if (found === "elsewhere") this.ownership = found;
      else this.views.mine.tables = found;
    } catch {
      this.views.mine.tables = [];
    }
  }

  async #openMine(): Promise<boolean> {
    await this.#look;
    if (this.ownership !== null && this.ownership !== "elsewhere") return true;
    try {
      this.ownership = await openMyDatabase(this.#client, this.#shared);
      if (this.ownership === "opfs") rememberUse();
    } catch (error) {
      this.#say("My database did not open.", reasonOf(error));
      return false;
    }
    if (this.ownership !== "elsewhere") return true;
    this.#say(
      "My database is open in another tab.",
      "One tab owns it at a time. Use a copy of it here, or close it there and try again.",
      [{ label: "Use a copy", run: () => void this.useCopy() }, this.#tryAgain],
    );
    return false;
  }

  async #busy(request: Request | null, work: () => Promise<void>): Promise<void> {
    if (this.state === "running") return;
    this.notice = null;
    const offerStop = setTimeout(() => (this.stoppable = true), STOP_AFTER_MILLISECONDS);
    try {
      await this.#ready;
      this.state = "running";
      await work();
    } catch (error) {
      this.#failed(error, request);
    } finally {
      clearTimeout(offerStop);
      this.stoppable = false;
      this.state = "ready";
    }
  }

  #failed(error: unknown, request: Request | null): void {
    if (!(error instanceof EngineStopped)) {
      this.#say("The engine refused.", reasonOf(error));
      return;
    }
    const again =
      request === null ? [] : [{ label: "Send it again", run: () => void this.run(request, null) }];
    if (error.by === "stop")
      this.#say("The request was stopped.", "The engine was started again on the same data.", again);
    else
      this.#say(
        "The engine stopped and was started again.",
        "Everything that was answered is there. The last request was not answered.",
        again,
      );
  }

  #say(title: string, text: string, actions: Notice["actions"] = []): void {
    this.notice = { title, text, actions };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
