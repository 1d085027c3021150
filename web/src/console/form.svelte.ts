/** The request being made: a pattern with its parameters, or typed JSON. */
import type { PageData, Pattern } from "../contract";
import type { Request } from "../studio/ledger.svelte";
import { examplesOf, filled, written } from "./template";

/** The console's two forms of a request. */
export type Form = "parameters" | "json";

/** What stands in the console. */
export class RequestForm {
  readonly patterns: readonly Pattern[];
  /** The operations that the engine has. */
  readonly operations: readonly string[];
  form = $state<Form>("parameters");
  pattern = $state.raw<Pattern | null>(null);
  values = $state<Record<string, Record<string, string>>>({});
  operation = $state("");
  body = $state("");

  constructor(page: PageData, operations: readonly string[]) {
    this.patterns = page.patterns;
    this.operations = operations;
    this.pattern = page.patterns[0] ?? null;
    this.operation = operations[0] ?? "";
    this.values = Object.fromEntries(page.patterns.map(({ id, parameters }) => [id, examplesOf(parameters)]));
  }

  /** Puts a pattern into the console. */
  pick(pattern: Pattern): void {
    this.pattern = pattern;
    this.form = "parameters";
  }

  /** Changes the form; the JSON begins as what the parameters make. */
  show(form: Form): void {
    if (form === "json" && this.form === "parameters") {
      const request = this.request;
      this.operation = request.operation;
      this.body = request.body;
    }
    this.form = form;
  }

  /** The request as it would be sent. */
  get request(): Request {
    if (this.form === "json" || this.pattern === null) return { operation: this.operation, body: this.body };
    const { id, operation, template } = this.pattern;
    return { operation, body: written(filled(template, this.values[id] ?? {})) };
  }
}
