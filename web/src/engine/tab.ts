/** The engine as the worker sees it: what the wasm package offers (crates/browser). */

/** The answer of one dispatch. */
export interface TabReply {
  readonly status: number;
  readonly body: Uint8Array;
  readonly trace: string | undefined;
  /** Gives the answer's memory back. */
  free(): void;
}

/** The stores of one tab and the engine over each. */
export interface Tab {
  open_memory(store: string): void;
  open_opfs(store: string, path: string): Promise<void>;
  close(store: string): void;
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
  /** The time of the next due step, if any. */
  step(store: string, now: number, budget: number): number | undefined;
}
