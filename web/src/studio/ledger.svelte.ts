/** The requests sent to one endpoint, in order, and what they cost together. */
import type { Reply } from "../engine/client";
import type { Undone } from "../engine/protocol";
import type { Price, Trace } from "../contract";
import { writtenBy, type WrittenItem } from "./written";

/** A request as it is sent: the operation's name and the body's text, unaltered. */
export interface Request {
  readonly operation: string;
  readonly body: string;
}

/** The service's error, in its own words. */
export interface ServiceError {
  readonly type: string;
  readonly message: string;
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** One request and its answer. */
export interface Entry {
  readonly number: number;
  readonly request: Request;
  readonly table: string;
  readonly status: number;
  /** The answer's text, and what it says; nothing where it is no JSON object. */
  readonly text: string;
  readonly answer: JsonObject | null;
  readonly trace: Trace | null;
  readonly error: ServiceError | null;
  readonly at: Date;
  readonly changed: boolean;
  /** What a million such requests cost, where prices are known. */
  readonly price: Price | null;
  /** The items that it wrote, or their keys. */
  readonly written: readonly WrittenItem[];
  readonly undone: boolean;
}

/** What ran so far on one endpoint. */
export class Ledger {
  entries = $state.raw<readonly Entry[]>([]);

  /** The running sum. The units of each line are the engine's; here they are only added up. */
  readonly sum = $derived.by(() => ({
    read: this.entries.reduce((sum, { trace }) => sum + (trace?.units.read ?? 0), 0),
    write: this.entries.reduce((sum, { trace }) => sum + (trace?.units.write ?? 0), 0),
  }));

  /** The last request that changed something and was not undone. */
  readonly undoable = $derived(this.entries.findLast((entry) => entry.changed && !entry.undone) ?? null);

  add(request: Request, reply: Reply, at: Date): Entry {
    const answer = objectOf(reply.text);
    const body = objectOf(request.body);
    const error = reply.status === 200 ? null : errorOf(answer, reply.text);
    const changed = error === null && changes(request.operation, reply.trace);
    const entry: Entry = {
      number: (this.entries.at(-1)?.number ?? 0) + 1,
      request,
      table: tableOf(body, reply.trace),
      status: reply.status,
      text: reply.text,
      answer,
      trace: reply.trace,
      error,
      at,
      changed,
      price: reply.price ?? null,
      written: changed ? writtenBy(request.operation, body) : [],
      undone: false,
    };
    this.entries = [...this.entries, entry];
    return entry;
  }

  /** Marks what an undo took back, where this page sent it. */
  markUndone(undone: Undone): Entry | null {
    const entry = this.undoable;
    if (entry === null || entry.request.operation !== undone.operation || entry.table !== undone.table)
      return null;
    this.entries = this.entries.map((each) => (each === entry ? { ...each, undone: true } : each));
    return entry;
  }

  clear(): void {
    this.entries = [];
  }
}

function tableOf(body: JsonObject | null, trace: Trace | null): string {
  const traced = trace?.accesses[0]?.table;
  if (traced !== undefined) return traced;
  const named = body?.["TableName"];
  return typeof named === "string" ? named : "";
}

function changes(operation: string, trace: Trace | null): boolean {
  const wrote = trace?.accesses.some((access) => access.kind === "write") ?? false;
  return wrote || /^(?:Create|Update|Delete)Table$/.test(operation);
}

/** The wire's `__type` has the error's name behind a hash, and `message` in either case. */
function errorOf(answer: JsonObject | null, text: string): ServiceError {
  const type = answer?.["__type"];
  return {
    type: typeof type === "string" ? type.slice(type.indexOf("#") + 1) : "Error",
    message: messageOf(answer) ?? text,
  };
}

/** The service's message, whose member's name has either case. */
export function messageOf(answer: JsonObject | null): string | null {
  const message = answer?.["message"] ?? answer?.["Message"];
  return typeof message === "string" ? message : null;
}

/** What a JSON object's text says; a typed body may be no JSON at all, which is the service's to say. */
export function objectOf(text: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as JsonObject)
      : null;
  } catch {
    return null;
  }
}
