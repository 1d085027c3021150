/** The engine as the worker sees it: what the wasm package offers (crates/browser). */

/** The answer of one dispatch. */
export interface TabReply {
  readonly status: number;
  readonly body: Uint8Array;
  readonly trace: string | undefined;
  /** What a million such requests cost, as JSON text, where prices are known. */
  readonly price?: string | undefined;
  /** The moment of the tab's clock before which the answer isn't to be given. */
  readonly not_before?: number | undefined;
  /** Gives the answer's memory back. */
  free(): void;
}

/** The stores of one tab, each in memory, and the engine over each. */
export interface Tab {
  open_memory(store: string): void;
  close(store: string): void;
  /** Takes the price file; what is no price file is refused. */
  set_prices(prices: string): void;
  dispatch(
    store: string,
    target: string,
    body: Uint8Array,
    now: number,
    trace: boolean,
    region: string | undefined,
  ): TabReply;
  /** An Inspection as JSON text. */
  inspect(store: string, table: string, index: string | undefined): string;
  /** What was undone as JSON text. */
  undo(store: string, now: number): string | undefined;
  /** What an answer to an exercise is found to be: a Verdict as JSON text. No store is touched. */
  check(grading: string, requests: string, now: number): string;
  /** Sets a store's weather, as JSON text, where it is given; a WeatherReport as JSON text. */
  weather(store: string, weather: string | undefined): string;
  /** Moves the clock as a ClockMove as JSON text says, and does what is due; a ClockState as JSON text. */
  clock(asked: string, now: number): string;
  /** The machine's milliseconds until the clock shows a moment; nothing if it stands. */
  until(moment: number, now: number): number | undefined;
  /** The machine's time of the next due step, if any. */
  step(store: string, now: number, budget: number): number | undefined;
}

/** The same in the module that has SQLite: stores may be databases. */
export interface TabWithFiles extends Tab {
  /** Whether it is open: a file that another worker holds is not. */
  open_opfs(store: string, path: string): Promise<boolean>;
  /** Has what was written so far survive a loss of power, not only the end of the browser. */
  sync(store: string): void;
  /** A copy in memory of a database, from the bytes of its file. */
  open_image(store: string, image: Uint8Array): void;
  /** The bytes of a database's file as it is now. */
  image(store: string): Uint8Array;
}
