/** What the studio knows: the endpoint chosen, its ledger and its tables, and what is going on. */
import type { StageData, Verdict } from "../contract";
import { EngineStopped, type EngineClient } from "../engine/client";
import { toStore, type Connection } from "../engine/connection";
import { NoCopy } from "../engine/copies";
import {
  MY_DATABASE,
  openCopy,
  openMyDatabase,
  tablesOfMyDatabase,
  type Ownership,
  type Shared,
} from "../engine/database";
import { TARGET_PREFIX, type ClockMove } from "../engine/protocol";
import { LOCAL_SERVER, NoAnswer, refusalOf, toEndpoint } from "../engine/remote";
import { rememberUse, wasUsed } from "../engine/used";
import { counted } from "../figures";
import { sentenceOf } from "../receipt/lines";
import type { Settings } from "../weather/settings";
import { Weather } from "../weather/weather.svelte";
import { copyDesign } from "./copying";
import { Ledger, objectOf, type Entry, type Request } from "./ledger.svelte";
import { TableView } from "./table-view.svelte";

/** The endpoints of the console: the page's memory store, the reader's own database, the local server, and one that
 *  the reader names. */
export const ENDPOINTS = ["tab", "mine", "server", "other"] as const;
export type EndpointId = (typeof ENDPOINTS)[number];

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
  readonly page: StageData;
  readonly ledgers: Readonly<Record<EndpointId, Ledger>> = {
    tab: new Ledger(),
    mine: new Ledger(),
    server: new Ledger(),
    other: new Ledger(),
  };
  readonly views: Readonly<Record<EndpointId, TableView>>;
  /** The weather of the tab's stores, and their clock. */
  readonly weather: Weather;

  endpoint = $state<EndpointId>("tab");
  state = $state<"starting" | "ready" | "running">("starting");
  stoppable = $state(false);
  notice = $state.raw<Notice | null>(null);
  announcement = $state("");
  ownership = $state<Ownership | null>(null);
  /** Units of each pattern as it last succeeded here. */
  lastUnits = $state<Record<string, Entry["trace"]>>({});
  /** The address that the reader named. */
  address = $state("http://localhost:8001");
  /** The number of a receipt that is looked at again, and of one beside it. */
  looked = $state<number | null>(null);
  compared = $state<number | null>(null);

  readonly #client: EngineClient;
  readonly #connections: Readonly<Record<EndpointId, Connection>>;
  readonly #shared: Shared;
  /** Starts an engine beside this one. */
  readonly #another: () => EngineClient;
  #ready: Promise<unknown> = Promise.resolve();
  /** A look into "my database" that is under way; opening it waits for that. */
  #look: Promise<void> = Promise.resolve();

  constructor(page: StageData, client: EngineClient, shared: Shared, another: () => EngineClient) {
    this.page = page;
    this.#client = client;
    this.#shared = shared;
    this.#another = another;
    this.weather = new Weather(client, () => (this.#hasMine ? [TAB_STORE, MY_DATABASE] : [TAB_STORE]));
    this.#connections = {
      tab: toStore(client, TAB_STORE),
      mine: toStore(client, MY_DATABASE),
      server: toEndpoint(LOCAL_SERVER),
      other: {
        dispatch: (operation, body) => toEndpoint(this.address).dispatch(operation, body),
      },
    };
    this.views = {
      tab: new TableView(this.#connections.tab),
      mine: new TableView(this.#connections.mine),
      server: new TableView(this.#connections.server),
      other: new TableView(this.#connections.other),
    };
    this.views.tab.begin(page);
  }

  /** Opens the design's store, in the weather that the reader brings; requests made meanwhile wait for it. */
  async start(weather: Settings | null = null): Promise<void> {
    // Without prices a receipt has none.
    if (this.page.prices !== undefined) this.#client.prices(JSON.stringify(this.page.prices)).catch(() => {});
    this.#ready = this.#client.open(TAB_STORE, { kind: "memory", setup: this.page.setup });
    try {
      await this.#ready;
      await this.views.tab.refresh(null);
      if (weather !== null) await this.weather.begin(weather);
      this.state = "ready";
    } catch (error) {
      this.#say("The engine did not start.", reasonOf(error));
      return;
    }
    if (wasUsed()) this.#look = this.#lookIntoMine();
    await this.#look;
  }

  /** Sends a request to the chosen endpoint and takes its answer into the ledger and the plan. */
  async run(request: Request, pattern: string | null): Promise<Entry | null> {
    let sent: Entry | null = null;
    await this.#busy(request, async () => {
      const { ledger, view } = this;
      const reply = await this.#connection.dispatch(request.operation, request.body);
      const entry = ledger.add(request, reply, new Date());
      sent = entry;
      this.looked = null;
      if (pattern !== null && entry.error === null) this.lastUnits[pattern] = entry.trace;
      const accesses = entry.trace?.accesses ?? [];
      const index = accesses.find((access) => access.kind === "read" && access.index !== null)?.index;
      if (this.inTab && onItems(request.operation) && view.tables.includes(entry.table))
        await view.redraw(entry.table, index ?? undefined);
      else await view.refresh(entry.table === "" ? null : entry.table, index ?? undefined);
      // A request that reached no item leaves the marks of the one before.
      if (accesses.length > 0) view.mark(entry.number, accesses, entry.written);
      this.announcement = entry.error === null && entry.trace !== null ? sentenceOf(entry.trace) : "";
      await this.#lookAtWeather();
    });
    return sent;
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
      const undone = (await this.#connection.undo?.()) ?? null;
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
      this.looked = this.compared = null;
      this.lastUnits = {};
      this.views.tab.begin(this.page);
      await this.views.tab.refresh(null);
      this.announcement = "The design is as it was at the start.";
    });
  }

  /** Moves the clock of the tab's stores; the plan is drawn as things are then. Whether it was moved. */
  async moveClock(move: ClockMove): Promise<boolean> {
    const moved = await this.weather.move(move);
    if (moved) await this.lookAgain();
    return moved;
  }

  /** Draws the plan again, where time alone can have changed it. */
  async lookAgain(): Promise<void> {
    if (!this.inTab || this.state !== "ready") return;
    try {
      await this.view.redraw(null);
      await this.#lookAtWeather();
    } catch {
      // The next request meets whatever is wrong, and says it.
    }
  }

  /** Grades an answer to an exercise, on tables of its own. */
  async check(grading: unknown, requests: readonly Request[]): Promise<Verdict> {
    await this.#ready;
    const sent = requests.map(({ operation, body }) => ({ target: TARGET_PREFIX + operation, body }));
    return this.#client.check(grading, sent);
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
    if (endpoint === "server" || endpoint === "other") {
      if (!(await this.#reach(endpoint))) return;
    }
    this.endpoint = endpoint;
    this.looked = this.compared = null;
    await this.#lookAtWeather();
  }

  /** Points the console at an address that the reader names. */
  async chooseAddress(address: string): Promise<void> {
    const refusal = refusalOf(address);
    if (refusal !== null) {
      this.#say("This address can't be asked.", refusal);
      return;
    }
    this.address = address;
    await this.choose("other");
  }

  /** Whether an engine of this tab answers, which can be looked into and undone. */
  get inTab(): boolean {
    return this.endpoint === "tab" || this.endpoint === "mine";
  }

  /** Works on a copy of "my database" while another tab owns it. */
  async useCopy(): Promise<void> {
    await this.#busy(null, async () => {
      try {
        await openCopy(this.#client, this.#shared);
        this.ownership = "copy";
        await this.weather.opened(MY_DATABASE);
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

  /** Lays an index over the table, or takes it off. */
  async layOver(index: string | null): Promise<void> {
    await this.view.refresh(null, index);
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

  /** Whether "my database", or a copy of it, is open in this tab. */
  get #hasMine(): boolean {
    return this.ownership !== null && this.ownership !== "elsewhere";
  }

  /** Takes over what has come of the weather where requests go. */
  async #lookAtWeather(): Promise<void> {
    if (this.inTab) await this.weather.look(this.endpoint === "mine" ? MY_DATABASE : TAB_STORE);
  }

  get #tryAgain(): Notice["actions"][number] {
    return { label: "Try again", run: () => void this.choose("mine") };
  }

  /** The receipt that is shown: one that is looked at again, else the last. */
  get shown(): Entry | null {
    return this.ledger.entries.find(({ number }) => number === this.looked) ?? this.current;
  }

  /** The receipt beside the one that is shown. */
  get beside(): Entry | null {
    return this.ledger.entries.find(({ number }) => number === this.compared) ?? null;
  }

  get #connection(): Connection {
    return this.#connections[this.endpoint];
  }

  /** Asks an endpoint for its tables; where nothing answers, the page says so. */
  async #reach(endpoint: "server" | "other"): Promise<boolean> {
    try {
      await this.views[endpoint].refresh(null);
      return true;
    } catch (error) {
      this.#unreached(error, () => void this.choose(endpoint));
      return false;
    }
  }

  #unreached(error: unknown, again: () => void): void {
    const text =
      error instanceof NoAnswer
        ? "Start it with keyplan serve, or look at its address. Your tables in this tab go on working."
        : reasonOf(error);
    this.#say(error instanceof NoAnswer ? error.message : "The endpoint did not list its tables.", text, [
      { label: "Try again", run: again },
      { label: "Use this tab", run: () => void this.choose("tab") },
    ]);
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
    if (this.#hasMine) return true;
    try {
      this.ownership = await openMyDatabase(this.#client, this.#shared);
      if (this.#hasMine) await this.weather.opened(MY_DATABASE);
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
    if (error instanceof NoAnswer) {
      this.#unreached(error, () => (request === null ? {} : void this.run(request, null)));
      return;
    }
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

/** Whether an operation is about items alone, and leaves tables as they are. */
function onItems(operation: string): boolean {
  return /^(?:Batch)?(?:Get|Put|Update|Delete|Write)Item$|^Query$|^Scan$|^Transact(?:Get|Write)Items$/.test(
    operation,
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
