/** The request being made: a pattern with its parameters, or a request of one's own, as a form or as JSON. Form and
 *  JSON are two views of one text. */
import type { Pattern, StageData } from "../contract";
import { withoutEmpty, type Body } from "../request/key-condition";
import { plainBody, typedBody } from "../request/plain";
import { objectOf, type Request } from "../studio/ledger.svelte";
import { adjusted, UNADJUSTED, type Adjustment } from "./adjustment";
import { examplesOf, filled, written } from "./template";

/** The console's forms of a request. */
export type Form = "parameters" | "form" | "json";

/** What stands in the console. */
export class RequestForm {
  readonly patterns: readonly Pattern[];
  /** The operations that the engine has. */
  readonly operations: readonly string[];
  form = $state<Form>("parameters");
  pattern = $state.raw<Pattern | null>(null);
  values = $state<Record<string, Record<string, string>>>({});
  adjustments = $state<Record<string, Adjustment>>({});
  operation = $state("");
  /** The JSON as it stands in the editor: typed, or plain. */
  text = $state("{}");
  plain = $state(false);
  /** Grows where the text was changed from elsewhere than the editor, which then takes it anew. */
  edition = $state(0);

  constructor(page: Pick<StageData, "patterns">, operations: readonly string[]) {
    this.patterns = page.patterns;
    this.operations = operations;
    this.pattern = page.patterns[0] ?? null;
    this.operation = operations.includes("Query") ? "Query" : (operations[0] ?? "");
    this.values = Object.fromEntries(page.patterns.map(({ id, parameters }) => [id, examplesOf(parameters)]));
    this.adjustments = Object.fromEntries(page.patterns.map(({ id }) => [id, { ...UNADJUSTED }]));
    if (this.pattern === null) this.form = "form";
  }

  /** Puts a pattern into the console. */
  pick(pattern: Pattern): void {
    this.pattern = pattern;
    this.form = "parameters";
  }

  /** Changes the form; form and JSON begin as what the parameters make. */
  show(form: Form): void {
    if (form !== "parameters" && this.form === "parameters") this.load(this.request);
    this.form = form;
  }

  /** Puts a request of one's own into the console. */
  load({ operation, body }: Request): void {
    this.operation = operation;
    this.#take(body);
    if (this.form === "parameters") this.form = "json";
  }

  /** The body as an object, typed; nothing while the text is no JSON. */
  get body(): Body | null {
    return objectOf(this.typedText);
  }

  /** Takes a body that the form has made. */
  set body(body: Body | null) {
    if (body !== null) this.#take(written(withoutEmpty(body)));
  }

  /** The body's text, typed. A text that is no JSON stays as it is: what is wrong with it, the engine says. */
  get typedText(): string {
    if (!this.plain) return this.text;
    const typed = typedBody(this.operation, this.text);
    return typed === null ? this.text : written(typed);
  }

  /** Changes between plain and typed JSON; a text that is no JSON stays as it is. */
  showPlain(plain: boolean): void {
    if (plain === this.plain) return;
    const typed = this.typedText;
    this.plain = plain;
    this.#take(typed);
  }

  /** Lays the text out anew. */
  format(): void {
    this.#take(this.typedText);
  }

  /** The request as it would be sent. */
  get request(): Request {
    if (this.form !== "parameters" || this.pattern === null)
      return { operation: this.operation, body: this.typedText };
    const { id, operation, template } = this.pattern;
    const body = filled(template, this.values[id] ?? {});
    return { operation, body: written(adjusted(body, this.adjustments[id] ?? UNADJUSTED)) };
  }

  #take(typed: string): void {
    const body = objectOf(typed);
    this.text = body === null ? typed : written(this.plain ? plainBody(this.operation, body) : body);
    this.edition += 1;
  }
}
