/** The engine's two modules as one: stores in memory are in the small one, with which every page starts; databases are
 *  in the one that has SQLite, which is loaded when the first of them is opened (docs/decisions/0018). */
import type { Tab, TabReply, TabWithFiles } from "./tab";

export class Modules implements Tab {
  readonly #small: Tab;
  readonly #load: () => Promise<TabWithFiles>;
  #files: TabWithFiles | undefined;
  /** Which stores are in the module with SQLite. */
  readonly #databases = new Set<string>();
  #prices: string | undefined;
  /** How the clock was moved, and when: a module that is loaded later goes by the same one. */
  readonly #moves: { readonly asked: string; readonly now: number }[] = [];

  constructor(small: Tab, load: () => Promise<TabWithFiles>) {
    this.#small = small;
    this.#load = load;
  }

  open_memory(store: string): void {
    this.close(store);
    this.#small.open_memory(store);
  }

  async open_opfs(store: string, path: string): Promise<boolean> {
    const files = await this.#withFiles();
    if (!(await files.open_opfs(store, path))) return false;
    this.#moveTo(store);
    return true;
  }

  sync(store: string): void {
    if (this.#files !== undefined && this.#databases.has(store)) this.#files.sync(store);
  }

  async open_image(store: string, image: Uint8Array): Promise<void> {
    const files = await this.#withFiles();
    files.open_image(store, image);
    this.#moveTo(store);
  }

  image(store: string): Uint8Array {
    if (this.#files === undefined || !this.#databases.has(store))
      throw new Error(`the store '${store}' has no file`);
    return this.#files.image(store);
  }

  close(store: string): void {
    this.#of(store).close(store);
    this.#databases.delete(store);
  }

  set_prices(prices: string): void {
    this.#small.set_prices(prices);
    this.#files?.set_prices(prices);
    this.#prices = prices;
  }

  dispatch(
    store: string,
    target: string,
    body: Uint8Array,
    now: number,
    trace: boolean,
    region: string | undefined,
  ): TabReply {
    return this.#of(store).dispatch(store, target, body, now, trace, region);
  }

  inspect(store: string, table: string, index: string | undefined): string {
    return this.#of(store).inspect(store, table, index);
  }

  undo(store: string, now: number): string | undefined {
    return this.#of(store).undo(store, now);
  }

  check(grading: string, requests: string, now: number): string {
    return this.#small.check(grading, requests, now);
  }

  weather(store: string, weather: string | undefined): string {
    return this.#of(store).weather(store, weather);
  }

  clock(asked: string, now: number): string {
    const state = this.#small.clock(asked, now);
    this.#files?.clock(asked, now);
    if (asked !== "{}") this.#moves.push({ asked, now });
    return state;
  }

  until(moment: number, now: number): number | undefined {
    return this.#small.until(moment, now);
  }

  step(store: string, now: number, budget: number): number | undefined {
    return this.#of(store).step(store, now, budget);
  }

  #of(store: string): Tab {
    return this.#files !== undefined && this.#databases.has(store) ? this.#files : this.#small;
  }

  /** A store of that name is a database from now on. */
  #moveTo(store: string): void {
    if (!this.#databases.has(store)) this.#small.close(store);
    this.#databases.add(store);
  }

  async #withFiles(): Promise<TabWithFiles> {
    if (this.#files !== undefined) return this.#files;
    const files = await this.#load();
    // Of two that were loaded at once, one is the module.
    if (this.#files !== undefined) return this.#files;
    if (this.#prices !== undefined) files.set_prices(this.#prices);
    for (const { asked, now } of this.#moves) files.clock(asked, now);
    this.#files = files;
    return files;
  }
}
