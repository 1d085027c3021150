/** Which tables an endpoint has, and the one that is drawn. */
import type { Access, Inspection, Item, PageData } from "../contract";
import type { EngineClient } from "../engine/client";
import { planOf } from "../plan/rooms";

/** The tables of one endpoint and the plan of one of them. */
export class TableView {
  tables = $state.raw<readonly string[]>([]);
  inspection = $state.raw<Inspection | null>(null);
  accesses = $state.raw<readonly Access[]>([]);
  written = $state.raw<Item | null>(null);
  /** The number of the request whose marks are drawn. */
  marked = $state(0);

  readonly plan = $derived(
    this.inspection === null ? null : planOf(this.inspection, this.accesses, this.written),
  );

  readonly #client: EngineClient;
  readonly #store: string;

  constructor(client: EngineClient, store: string) {
    this.#client = client;
    this.#store = store;
  }

  /** Draws what the page brought along: the tables before the first request. */
  begin(page: PageData): void {
    this.tables = page.tables;
    this.inspection = page.inspections[0] ?? null;
    this.mark(0, []);
  }

  /** Reads the tables again and draws `wanted`, else the table drawn before, else the first. */
  async refresh(wanted: string | null): Promise<void> {
    const tables = await this.#client.tables(this.#store);
    const chosen = [wanted, this.inspection?.table].find((name) => name != null && tables.includes(name));
    const table = chosen ?? tables[0];
    this.inspection = table === undefined ? null : await this.#client.inspect(this.#store, table);
    this.tables = tables;
  }

  /** Marks what a request did; `written` is the item that it wrote, or that item's key. */
  mark(number: number, accesses: readonly Access[], written: Item | null = null): void {
    this.accesses = accesses;
    this.written = written;
    this.marked = number;
  }
}
