/** The weather as a form, and as the settings that the engine takes. What stands in a field goes to the engine as it
 *  is: which figures can be, the engine says. */

/** What stands in the fields. An empty one is off, or as the engine has it where it isn't told. */
export interface WeatherForm {
  seed: string;
  lag: { table: string; index: string };
  throttling: Throttling;
  /** Figures that are neither the service's nor the small ones. */
  figures: Readonly<Record<string, unknown>>;
  partialBatches: string;
  conflicts: { hold: string; rate: string };
  latency: { min: string; max: string };
  errors: { error: string; rate: string; operation: string; table: string; after: boolean };
  lifecycle: { table: string; index: string; backfill: string };
}

export type Throttling = "off" | "service" | "small" | "own";

/** Settings as the engine takes them and, with all their figures, tells them. */
export type Settings = Readonly<Record<string, unknown>>;

/** The errors that a rule can name. */
export const ERRORS = [
  "InternalServerError",
  "ServiceUnavailable",
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "LimitExceededException",
  "TransactionConflictException",
  "ReplicatedWriteConflictException",
] as const;

/** Figures so small that a few requests by hand use them up. */
export const SMALL_FIGURES: Readonly<Record<string, number>> = {
  partitionRead: 30,
  partitionWrite: 10,
  onDemandRead: 120,
  onDemandWrite: 40,
};

/** The figures that the engine has where it isn't told any: the service's. */
const SERVICE_FIGURES: Readonly<Record<string, number>> = {
  burstSeconds: 300,
  partitionRead: 3_000,
  partitionWrite: 1_000,
  onDemandRead: 12_000,
  onDemandWrite: 4_000,
  accountRead: 40_000,
  accountWrite: 40_000,
  growth: 1_800_000,
  splitAfter: 300_000,
};

/** A form in which nothing is on. */
export function fineForm(): WeatherForm {
  return {
    seed: "",
    lag: { table: "", index: "" },
    throttling: "off",
    figures: {},
    partialBatches: "",
    conflicts: { hold: "", rate: "" },
    latency: { min: "", max: "" },
    errors: { error: "", rate: "", operation: "", table: "", after: false },
    lifecycle: { table: "", index: "", backfill: "" },
  };
}

/** What the form asks for. */
export function settingsOf(form: WeatherForm): Settings {
  const { errors } = form;
  const rule = {
    error: errors.error,
    ...numbersIn({ rate: errors.rate }),
    ...textsIn({ operation: errors.operation, table: errors.table }),
    ...(errors.after ? { after: true } : {}),
  };
  return {
    ...numbersIn({ seed: form.seed }),
    ...group("lag", numbersIn(form.lag)),
    ...throttlingOf(form),
    ...numbersIn({ partialBatches: form.partialBatches }),
    ...group("conflicts", numbersIn(form.conflicts)),
    ...group("latency", numbersIn(form.latency)),
    ...(errors.error === "" ? {} : { errors: [rule] }),
    ...group("lifecycle", numbersIn(form.lifecycle)),
  };
}

/** The form that asks for these settings. A default that the engine has filled in is a figure like another. */
export function formOf(settings: Settings): WeatherForm {
  const form = fineForm();
  const [rule] = Array.isArray(settings["errors"]) ? (settings["errors"] as unknown[]) : [];
  const seed = textOf(settings["seed"]);
  return {
    seed: seed === "0" ? "" : seed,
    lag: textsOf(form.lag, settings["lag"]),
    ...throttlingIn(settings["throttling"]),
    partialBatches: textOf(settings["partialBatches"]),
    conflicts: textsOf(form.conflicts, settings["conflicts"]),
    latency: textsOf(form.latency, settings["latency"]),
    errors: {
      ...textsOf({ error: "", rate: "", operation: "", table: "" }, rule),
      after: membersOf(rule)["after"] === true,
    },
    lifecycle: textsOf(form.lifecycle, settings["lifecycle"]),
  };
}

/** What a setting is called where the page speaks of it. */
const NAMES: Readonly<Record<string, string>> = {
  lag: "lag",
  throttling: "throttling",
  partialBatches: "partial batches",
  conflicts: "conflicts",
  latency: "latency",
  errors: "errors",
  lifecycle: "life cycle",
};

/** The names of what is on; none on a fine day. */
export function namesOf(settings: Settings): string[] {
  return Object.entries(NAMES).flatMap(([member, name]) => (settings[member] == null ? [] : [name]));
}

/** What has come of the weather, in words, in the order the engine tells it. */
const HAPPENINGS: Readonly<Record<string, string>> = {
  lagging: "reads that were behind",
  throttled: "throttled",
  unprocessed: "items of batches left",
  conflicts: "conflicts",
  delayed: "answers held back",
  errors: "errors by the rule",
  unready: "refused while not ready",
};

/** The counts with their words; a count that this page doesn't know keeps its name. */
export function happenings(happened: Readonly<Record<string, number>>): { word: string; count: number }[] {
  return Object.entries(happened).map(([name, count]) => ({ word: HAPPENINGS[name] ?? name, count }));
}

/** The field that a refusal is about: its sentence begins with the place, such as `lag.table is`. Nothing where it is
 *  about none of them. */
export function fieldOf(refusal: string): string | null {
  const [, place] = /^(\w+\.\w+) is /.exec(refusal) ?? [];
  return place?.replace(/^weather\./, "") ?? null;
}

/** The command that starts the native server in this weather, by a clock that runs so fast. */
export function serveCommand(settings: Settings, rate: number): string {
  const words = ["keyplan serve"];
  if (Object.keys(settings).length > 0) words.push(`--weather ${quoted(JSON.stringify(settings))}`);
  if (rate !== 1) words.push(`--clock ${rate}`);
  return [...words, "--control"].join(" ");
}

/** The command that changes the weather of a native server that has its control address open. */
export function controlCommand(settings: Settings): string {
  return `curl http://127.0.0.1:8001/weather -d ${quoted(JSON.stringify(settings))}`;
}

/** One word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function throttlingOf({ throttling, figures }: WeatherForm): Settings {
  switch (throttling) {
    case "off":
      return {};
    case "service":
      return { throttling: true };
    case "small":
      return { throttling: SMALL_FIGURES };
    case "own":
      return { throttling: figures };
  }
}

function throttlingIn(value: unknown): Pick<WeatherForm, "throttling" | "figures"> {
  if (value == null || value === false) return { throttling: "off", figures: {} };
  const figures = { ...SERVICE_FIGURES, ...membersOf(value) };
  const are = (these: Readonly<Record<string, unknown>>): boolean =>
    Object.entries({ ...SERVICE_FIGURES, ...these }).every(([name, figure]) => figures[name] === figure);
  if (are({})) return { throttling: "service", figures: {} };
  if (are(SMALL_FIGURES)) return { throttling: "small", figures: {} };
  return { throttling: "own", figures: membersOf(value) };
}

/** An object's member, where the object has any. */
function group(name: string, members: Settings): Settings {
  return Object.keys(members).length === 0 ? {} : { [name]: members };
}

/** The fields that are filled, as figures. What is none stays text, for the engine to refuse. */
function numbersIn(fields: Readonly<Record<string, string>>): Settings {
  return Object.fromEntries(
    Object.entries(textsIn(fields)).map(([name, text]) => [name, Number.isFinite(+text) ? +text : text]),
  );
}

/** The fields that are filled. */
function textsIn(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]])),
  );
}

function textsOf<Fields extends Record<string, string>>(fields: Fields, value: unknown): Fields {
  const members = membersOf(value);
  return Object.fromEntries(Object.keys(fields).map((name) => [name, textOf(members[name])])) as Fields;
}

function textOf(value: unknown): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : "";
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
