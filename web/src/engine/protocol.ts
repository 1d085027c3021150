/** The messages between a page and the worker that holds the engine. */
import type { SetupRequest } from "../contract";

/** How a store is opened. A memory store starts from its setup, and a reset brings it back there; a copy of a
 *  database starts from the bytes of its file. A file's durability is what an answered write survives: a loss of
 *  power (full, without more), or the end of the browser. */
export type StoreOptions =
  | { readonly kind: "memory"; readonly setup: readonly SetupRequest[] }
  | { readonly kind: "copy"; readonly image: Uint8Array }
  | { readonly kind: "opfs"; readonly path: string; readonly durability?: "full" | "relaxed" };

/** A DynamoDB request, just as it would go over HTTP. */
export interface DispatchMessage {
  readonly id: number;
  readonly store: string;
  readonly target: string;
  readonly body: Uint8Array;
  /** The region that ARNs name; us-east-1 without it. */
  readonly region?: string;
}

/** What the clock is asked: first to be moved forward, then to run so fast. */
export interface ClockMove {
  /** By milliseconds. */
  readonly advance?: number;
  /** To a moment, in milliseconds since 1970. */
  readonly to?: number;
  /** Seconds that pass by it in one of the machine; 0 stops it. */
  readonly rate?: number;
}

/** What the clock shows. */
export interface ClockState {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The same as a date, in UTC. */
  readonly text: string;
  readonly rate: number;
}

/** A store's weather, with all that is on, and how often each thing has happened since it was set. What the
 *  members are, docs/weather.md says. */
export interface WeatherReport {
  readonly weather: Readonly<Record<string, unknown>>;
  readonly happened: Readonly<Record<string, number>>;
}

/** What is no DynamoDB request and never billed. */
export type ControlMessage =
  | { readonly id: number; readonly control: "open"; readonly store: string; readonly options: StoreOptions }
  | { readonly id: number; readonly control: "close"; readonly store: string }
  | {
      readonly id: number;
      readonly control: "inspect";
      readonly store: string;
      readonly table: string;
      readonly index?: string;
    }
  | { readonly id: number; readonly control: "undo"; readonly store: string }
  | { readonly id: number; readonly control: "export"; readonly store: string }
  /** Grades an answer to an exercise, on engines of its own: the store only gives it a place in a queue. */
  | {
      readonly id: number;
      readonly control: "check";
      readonly store: string;
      readonly grading: string;
      readonly requests: string;
    }
  /** Sets a store's weather where it is given, as JSON text, and tells what it is and what has come of it. */
  | { readonly id: number; readonly control: "weather"; readonly store: string; readonly weather?: string }
  /** Moves the clock of all stores, or sets how fast it runs, and tells what it shows; it concerns no store. */
  | ({ readonly id: number; readonly control: "clock"; readonly store: "" } & ClockMove)
  /** The price file, from which every later answer with a trace is priced; it concerns no store. */
  | { readonly id: number; readonly control: "prices"; readonly store: ""; readonly prices: string }
  | { readonly id: number; readonly control: "reset"; readonly store: string };

/** From the page to the worker. */
export type Message = DispatchMessage | ControlMessage;

/** The answer to a request: the service's status and bytes, and the trace as JSON text. */
export interface DispatchAnswer {
  readonly id: number;
  readonly status: number;
  readonly body: Uint8Array;
  readonly trace: string | undefined;
  /** What a million such requests cost, as JSON text, where prices are known. */
  readonly price?: string | undefined;
}

/** The answer to a control message; what it is depends on the control. */
export interface ControlAnswer {
  readonly id: number;
  readonly done: unknown;
}

/** Why a message was not carried out. A panic leaves the engine unusable: the page restarts the worker. */
export interface Failure {
  readonly id: number;
  readonly failed: "panic" | "refused";
  readonly reason: string;
}

/** From the worker to the page. */
export type Answer = DispatchAnswer | ControlAnswer | Failure;

/** Where a store that was asked for on OPFS has come to stand. */
export type Opened = "memory" | "opfs";

/** What undo took back. */
export interface Undone {
  readonly operation: string;
  readonly table: string;
}

/** The service's prefix of a request's target. */
export const TARGET_PREFIX = "DynamoDB_20120810.";
