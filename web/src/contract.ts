/** The JSON that the engine and the page's data speak. Shapes only: every figure in them is the engine's. */

/** One attribute value in DynamoDB JSON, such as `{ "S": "a" }`. */
export type AttributeValue = Readonly<Record<string, unknown>>;

/** An item, or a key, in DynamoDB JSON. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** A stretch of items in key order that a request examined. */
export interface Run {
  readonly first: Item;
  readonly last: Item;
  readonly items: number;
  readonly bytes: number;
}

/** What a request did in one partition. */
export interface TracedPartition {
  readonly hash: string;
  readonly partitionKey: Item;
  readonly runs: readonly Run[];
  readonly returned: readonly Item[];
  readonly returnedBytes: number;
}

/** One step of the arithmetic that leads from bytes to units. */
export interface Step {
  readonly step: string;
  readonly value: number;
  readonly by?: number;
  /** How many parts were rounded up each by itself, where it was more than one. */
  readonly parts?: number;
  readonly because?: string;
}

/** Read and write units; exact halves. */
export interface Units {
  readonly read: number;
  readonly write: number;
}

/** What a request did on one table or index. */
export interface Access {
  readonly table: string;
  readonly index: string | null;
  readonly kind: "read" | "write";
  readonly partitions: readonly TracedPartition[];
  readonly examined: { readonly items: number; readonly bytes: number };
  readonly returned: { readonly items: number; readonly bytes: number };
  readonly stopped: string | null;
  /** A written item's bytes before and after; the larger is charged. */
  readonly before?: number;
  readonly after?: number;
  readonly arithmetic: readonly Step[];
  readonly charged: { readonly bytes: number; readonly hidden: number };
  readonly units: Units;
}

/** The account of one request. */
export interface Trace {
  readonly operation: string;
  readonly accesses: readonly Access[];
  readonly units: Units;
}

/** What a million requests like one cost. Figures are written as they are shown. */
export interface Price {
  readonly perMillion?: { readonly usd?: string; readonly read?: string; readonly write?: string };
  /** Why no price is known. */
  readonly unknown?: string;
  readonly region: string;
  readonly mode: string;
  readonly class: string;
  readonly source: string;
  readonly dated: string;
}

/** One key attribute of a table. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: string;
}

/** One partition as it lies in the store. */
export interface InspectedPartition {
  readonly hash: string;
  readonly badge: string;
  readonly partitionKey: Item;
  readonly items: readonly { readonly bytes: number; readonly item: Item }[];
  readonly itemCount: number;
  readonly bytes: number;
  readonly itemsLeftOut: number;
}

/** A table's items by partition, in the order a Scan meets them; bounded. */
export interface Inspection {
  readonly table: string;
  readonly index: string | null;
  readonly key: {
    readonly partition: KeyAttribute;
    readonly sort?: KeyAttribute;
    /** An index's key may have several attributes in either half: those after the first. */
    readonly morePartition?: readonly KeyAttribute[];
    readonly moreSort?: readonly KeyAttribute[];
  };
  readonly partitions: readonly InspectedPartition[];
  readonly partitionCount: number;
  readonly itemCount: number;
  readonly bytes: number;
  readonly partitionsLeftOut: number;
  /** Whether the whole table was looked at; if not, more partitions are left out than were counted. */
  readonly complete: boolean;
}

/** One request that sets a store up. */
export interface SetupRequest {
  readonly target: string;
  readonly body: unknown;
}

/** A parameter of an access pattern. */
export interface Parameter {
  readonly name: string;
  /** The name in words. */
  readonly label: string;
  readonly type: string;
  readonly example: string;
  readonly prefix: string;
}

/** An access pattern: a question and the request that answers it. */
export interface Pattern {
  readonly id: string;
  readonly question: string;
  readonly operation: string;
  /** The request's body, with `<name>` in its strings where a parameter goes. */
  readonly template: unknown;
  readonly parameters: readonly Parameter[];
  /** What the model's file says that it costs, where it does; `indexes` is the share of each index by its name. */
  readonly costs?: {
    readonly read?: number;
    readonly write?: number;
    readonly indexes?: Readonly<Record<string, number>>;
  };
}

/** One price of the price file: what a unit costs in US dollars, as a decimal number in a text. */
export interface PriceEntry {
  readonly region: string;
  readonly class: string;
  readonly unit: string;
  readonly usd: string;
  readonly source: string;
  readonly dated: string;
  readonly confirmed: boolean;
}

/** The price file as it is handed to the engine; pages show what comes back and compute nothing with it. */
export interface PriceFile {
  readonly prices: readonly PriceEntry[];
}

/** A view that `inspect` can draw beside a table. */
export interface IndexView {
  readonly table: string;
  readonly index: string;
}

/** What a model's page carries for its scripts. The home page carries the same: its patterns are the ways in which
 *  it asks one question. */
export interface PageData {
  readonly model: { readonly id: string; readonly title: string; readonly question: string };
  readonly tables: readonly string[];
  readonly setup: readonly SetupRequest[];
  readonly patterns: readonly Pattern[];
  /** The tables as they lie before the first request, in the order of `tables`. */
  readonly inspections: readonly Inspection[];
  /** Addresses of the lessons that this site has, by their ids, relative to the page. */
  readonly lessons?: Readonly<Record<string, { readonly title: string; readonly href: string }>>;
  /** The indexes of the tables, in the order of `tables`. */
  readonly indexes: readonly IndexView[];
  readonly prices: PriceFile;
}

/** A lesson's neighbour in the course. */
export interface LessonLink {
  /** The slug: the last part of `/course/<slug>/`. */
  readonly id: string;
  readonly number: number;
  readonly title: string;
}

/** What a step's answer is stated to be; what is not stated is absent. */
export interface StatedAnswer {
  readonly examined?: number;
  readonly returned?: number;
  readonly read?: number;
  readonly write?: number;
  readonly lastEvaluatedKey?: boolean;
  /** The error with which the request is refused. */
  readonly error?: string;
}

/** A request of a lesson that the reader runs. */
export interface LessonStep {
  /** `step-1` and so on; also the id of its list item in the page. */
  readonly id: string;
  readonly title: string;
  readonly request: SetupRequest;
  readonly stated: StatedAnswer;
}

/** The exercise; its words (brief, hints) are in the page. */
export interface LessonExercise {
  readonly id: string;
  readonly title: string;
  /** What the reader starts from: one request, or several in order. */
  readonly starts: readonly SetupRequest[];
  /** Whether an answer may be several requests. */
  readonly several: boolean;
  /** What is checked, line by line, in words. */
  readonly contract: readonly string[];
  /** How many hints the page has. */
  readonly hints: number;
  /** Handed to the worker as it is (`Tab.check`); nothing else may look into it. */
  readonly grading: unknown;
}

/** What a lesson's page carries for its scripts, in the element `lesson-data`. */
export interface LessonData {
  readonly lesson: {
    readonly id: string;
    readonly number: number;
    /** How many lessons the course has. */
    readonly of: number;
    readonly title: string;
    readonly chapter: string;
    readonly previous?: LessonLink;
    readonly next?: LessonLink;
  };
  readonly tables: readonly string[];
  readonly indexes: readonly { readonly table: string; readonly index: string }[];
  readonly setup: readonly SetupRequest[];
  /** The tables as they lie before the first request, in the order of `tables`. */
  readonly inspections: readonly Inspection[];
  /** The indexes likewise, in the order of `indexes`. */
  readonly indexInspections: readonly Inspection[];
  /** A lesson has none; the console asks for them. */
  readonly patterns: readonly Pattern[];
  readonly steps: readonly LessonStep[];
  readonly exercise: LessonExercise;
  readonly prices: PriceFile;
  /** The lessons of this site, for links from errors. */
  readonly lessons: NonNullable<StageData["lessons"]>;
}

/** One check of an answer. */
export interface Check {
  readonly kind:
    | "accepted"
    | "returned"
    | "order"
    | "table"
    | "operations"
    | "requests"
    | "examined"
    | "read"
    | "write"
    | "hidden";
  /** What it asks for. */
  readonly name: string;
  readonly passed: boolean;
  /** What it found, in a few words. */
  readonly text: string;
}

/** What one request answered and cost. */
export interface CheckedRequest {
  readonly status: number;
  /** The answer, an error's as well. */
  readonly body?: unknown;
  readonly trace: Trace | null;
}

/** What `Tab.check` says of an answer: `check(grading, requests, now)`, with `requests` as
 *  `[{target, body}]`, each body an object or the text that was typed. */
export interface Verdict {
  readonly passed: boolean;
  readonly checks: readonly Check[];
  /** The mistake, if a check failed. */
  readonly diagnosis?: { readonly id: string; readonly title: string; readonly text: string };
  /** The reader's requests on the data that the reader sees. */
  readonly receipts: readonly CheckedRequest[];
  /** The solution there, if every check passed. */
  readonly solution?: {
    readonly requests: readonly SetupRequest[];
    readonly receipts: readonly CheckedRequest[];
  };
}

/** What any page's studio starts from: a model's page, a lesson's, or the console alone. */
export interface StageData {
  readonly tables: readonly string[];
  readonly setup: readonly SetupRequest[];
  readonly inspections: readonly Inspection[];
  readonly patterns: readonly Pattern[];
  readonly prices?: PriceFile;
  /** Addresses of the lessons that this site has, by their ids, relative to the page. */
  readonly lessons?: Readonly<Record<string, { readonly title: string; readonly href: string }>>;
}
