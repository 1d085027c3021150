/** A stand-in for the wasm engine, for tests of what surrounds it. It keeps items and answers a handful of
 *  operations; its figures are made up and mean nothing. */
import type { Inspection, Item } from "../src/contract";
import type { TabReply, TabWithFiles } from "../src/engine/tab";

type Tables = Map<string, Item[]>;
type Body = { TableName?: string; Item?: Item; Key?: Item; ExpressionAttributeValues?: Item };

const PREFIX = "DynamoDB_20120810.";

export class FakeTab implements TabWithFiles {
  readonly calls: string[] = [];
  /** Operations at which the engine panics, as wasm does. */
  readonly panicsAt = new Set<string>();
  /** What a step does and when the next is due. */
  onStep = (): number | undefined => undefined;
  /** The moment before which the next answers aren't to be given. */
  notBefore: number | undefined = undefined;
  /** What the clock was moved to, and how fast it runs. */
  time = 0;
  rate = 1;
  /** Why the next weather is refused; empty, it isn't. */
  refusal = "";
  readonly #files: Map<string, Tables>;
  readonly #stores = new Map<string, { tables: Tables; undo: [string, string, Tables][] }>();

  /** How often each file is still found to be held by another worker. */
  readonly #held: Map<string, number>;

  constructor(files: Map<string, Tables> = new Map(), held: Map<string, number> = new Map()) {
    this.#files = files;
    this.#held = held;
  }

  open_memory(store: string): void {
    this.#stores.set(store, { tables: new Map(), undo: [] });
  }

  async open_opfs(store: string, path: string): Promise<boolean> {
    this.calls.push(`${store} open`);
    const left = this.#held.get(path) ?? 0;
    this.#held.set(path, left - 1);
    if (left > 0) return false;
    const tables = this.#files.get(path) ?? new Map<string, Item[]>();
    this.#files.set(path, tables);
    this.#stores.set(store, { tables, undo: [] });
    return true;
  }

  /** Why the next sync fails; empty, it doesn't. */
  syncFailure = "";

  sync(store: string): void {
    this.calls.push(`${store} sync`);
    if (this.syncFailure !== "") throw new Error(this.syncFailure);
  }

  open_image(store: string, image: Uint8Array): void {
    const tables = new Map(JSON.parse(new TextDecoder().decode(image)) as [string, Item[]][]);
    this.#stores.set(store, { tables, undo: [] });
  }

  image(store: string): Uint8Array {
    return new TextEncoder().encode(JSON.stringify([...this.#store(store).tables]));
  }

  set_prices(prices: string): void {
    this.calls.push(`prices ${prices}`);
  }

  close(store: string): void {
    this.#stores.delete(store);
  }

  dispatch(store: string, target: string, bytes: Uint8Array): TabReply {
    const operation = target.slice(PREFIX.length);
    this.calls.push(`${store} ${operation}`);
    if (this.panicsAt.has(operation)) throw new WebAssembly.RuntimeError("unreachable");
    const { tables, undo } = this.#store(store);
    const body = JSON.parse(new TextDecoder().decode(bytes)) as Body;
    const table = body.TableName ?? "";
    const before: Tables = new Map([...tables].map(([name, items]) => [name, [...items]]));
    const items = tables.get(table);
    if (operation === "ListTables") return reply(200, { TableNames: [...tables.keys()] }, operation);
    if (operation === "CreateTable") {
      if (items !== undefined) return failure("ResourceInUseException", `Table already exists: ${table}`);
      tables.set(table, []);
      undo.push([operation, table, before]);
      return reply(200, {}, operation);
    }
    if (items === undefined) return failure("ResourceNotFoundException", "Requested resource not found");
    if (operation === "DeleteTable") tables.delete(table);
    if (operation === "PutItem" && body.Item !== undefined) items.push(body.Item);
    if (operation === "DeleteTable" || operation === "PutItem") undo.push([operation, table, before]);
    const answer = operation === "Query" || operation === "Scan" ? { Items: items } : {};
    return { ...reply(200, answer, operation), not_before: this.notBefore };
  }

  weather(store: string, weather: string | undefined): string {
    this.#store(store);
    if (this.refusal !== "") throw new Error(this.refusal);
    if (weather?.includes("lags")) throw new Error('weather has no member "lags"');
    this.calls.push(`${store} weather ${weather}`);
    return JSON.stringify({ weather: JSON.parse(weather ?? "{}"), happened: {} });
  }

  clock(asked: string): string {
    const { advance = 0, to = 0, rate = this.rate } = JSON.parse(asked) as Partial<Record<string, number>>;
    this.time = Math.max(this.time + advance, to);
    this.rate = rate;
    this.calls.push(`clock ${asked}`);
    return JSON.stringify({ now: this.time, text: "", rate });
  }

  until(moment: number): number | undefined {
    const wait = Math.max(0, moment - this.time);
    if (wait === 0) return 0;
    return this.rate === 0 ? undefined : wait / this.rate;
  }

  inspect(store: string, table: string): string {
    const items = this.#store(store).tables.get(table);
    if (items === undefined) throw new Error(`there is no table ${table}`);
    return JSON.stringify(inspectionOf(table, items));
  }

  undo(store: string): string | undefined {
    const { tables, undo } = this.#store(store);
    const last = undo.pop();
    if (last === undefined) return undefined;
    const [operation, table, before] = last;
    tables.clear();
    for (const [name, items] of before) tables.set(name, items);
    return JSON.stringify({ operation, table });
  }

  /** Whatever is asked passes, and names what it was asked. */
  check(grading: string, requests: string): string {
    this.calls.push(`check ${grading} ${requests}`);
    return JSON.stringify({ passed: true, checks: [], receipts: [] });
  }

  step(store: string): number | undefined {
    this.calls.push(`${store} step`);
    return this.onStep();
  }

  #store(store: string): { tables: Tables; undo: [string, string, Tables][] } {
    const open = this.#stores.get(store);
    if (open === undefined) throw new Error(`no store is called ${store}`);
    return open;
  }
}

/** The inspection of some items whose key is `pk` and `sk`, partitions in the order they come. */
export function inspectionOf(table: string, items: readonly Item[]): Inspection {
  const keys = [...new Set(items.map((item) => JSON.stringify(item["pk"])))];
  const partitions = keys.map((key, place) => {
    const members = items.filter((item) => JSON.stringify(item["pk"]) === key);
    return {
      hash: `${place}d0312aa`,
      badge: `${place}d`,
      partitionKey: { pk: JSON.parse(key) as Item[string] },
      items: members.map((item) => ({ bytes: 100, item })),
      itemCount: members.length,
      bytes: 100 * members.length,
      itemsLeftOut: 0,
    };
  });
  return {
    table,
    index: null,
    key: { partition: { name: "pk", type: "S" }, sort: { name: "sk", type: "S" } },
    partitions,
    partitionCount: keys.length,
    itemCount: items.length,
    bytes: 100 * items.length,
    partitionsLeftOut: 0,
    complete: true,
  };
}

function reply(status: number, body: unknown, operation: string): TabReply {
  return {
    status,
    body: new TextEncoder().encode(JSON.stringify(body)),
    trace: JSON.stringify({ operation, accesses: [], units: { read: 0, write: 0 } }),
    price: undefined,
    free: () => {},
  };
}

function failure(type: string, message: string): TabReply {
  return reply(400, { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message }, "");
}
