import { describe, expect, it } from "vitest";
import { EngineClient, EngineRefused, EngineStopped, type WorkerLike } from "../src/engine/client";
import { Host } from "../src/engine/host";
import type { Answer, Message, StoreOptions } from "../src/engine/protocol";
import { FakeTab } from "./fake-tab";

const SETUP: StoreOptions = {
  kind: "memory",
  setup: [{ target: "DynamoDB_20120810.CreateTable", body: { TableName: "Trips" } }],
};

/** Workers in this thread, each with a fake engine; files outlive them as OPFS does. */
function engine(hasOpfs = true): {
  client: EngineClient;
  tabs: FakeTab[];
  held: Map<string, number>;
  waits: number[];
} {
  const files = new Map();
  const held = new Map<string, number>();
  const waits: number[] = [];
  const tabs: FakeTab[] = [];
  const start = (): WorkerLike => {
    const tab = new FakeTab(files, held);
    tabs.push(tab);
    let ended = false;
    const worker: WorkerLike = {
      onmessage: null,
      onerror: null,
      postMessage: (message: Message) => void (ended || host.receive(structuredClone(message))),
      terminate: () => (ended = true),
    };
    const host = new Host(tab, {
      now: () => 0,
      hasOpfs: async () => hasOpfs,
      after: (milliseconds, call) => {
        waits.push(milliseconds);
        setTimeout(call);
      },
      soon: (call) => void setTimeout(call),
      post: (answer: Answer) => void (ended || worker.onmessage?.({ data: answer } as MessageEvent<Answer>)),
    });
    return worker;
  };
  return { client: new EngineClient(start), tabs, held, waits };
}

function put(client: EngineClient, store: string, sk: string): Promise<unknown> {
  return client.dispatch(
    store,
    "PutItem",
    JSON.stringify({ TableName: "Trips", Item: { pk: { S: "p" }, sk: { S: sk } } }),
  );
}

async function keysIn(client: EngineClient, store: string): Promise<unknown[]> {
  const { partitions } = await client.inspect(store, "Trips");
  return partitions.flatMap(({ items }) => items.map(({ item }) => item["sk"]?.["S"]));
}

describe("the engine behind its worker", () => {
  it("answers requests in the order of their store, and errors in the service's words", async () => {
    const { client } = engine();
    await client.open("tab", SETUP);
    await Promise.all([put(client, "tab", "1"), put(client, "tab", "2")]);
    expect(await keysIn(client, "tab")).toEqual(["1", "2"]);
    const refused = await client.dispatch("tab", "Query", '{"TableName":"Boats"}');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("Requested resource not found");
  });

  it("keeps a request sent while its store is opening until it is open", async () => {
    const { client } = engine();
    const opening = client.open("mine", { kind: "opfs", path: "a.db" });
    const listed = client.dispatch("mine", "ListTables", "{}");
    expect(await opening).toBe("opfs");
    expect((await listed).text).toBe('{"TableNames":[]}');
  });

  it("answers requests on a file after a sync, those that came together after one", async () => {
    const { client, tabs } = engine();
    await client.open("mine", { kind: "opfs", path: "a.db" });
    await client.dispatch("mine", "CreateTable", '{"TableName":"Trips"}');
    const calls = tabs[0]?.calls ?? [];
    calls.length = 0;
    await Promise.all(["1", "2", "3"].map((sk) => put(client, "mine", sk)));
    const written = calls.filter((call) => !call.endsWith("step"));
    expect(written).toEqual(["mine PutItem", "mine PutItem", "mine PutItem", "mine sync"]);
  });

  it("says that a request whose write can't be synced was not carried out", async () => {
    const { client, tabs } = engine();
    await client.open("mine", { kind: "opfs", path: "a.db" });
    const [tab] = tabs;
    if (tab === undefined) throw new Error("no engine was started");
    tab.syncFailure = "the disk is full";
    const refused = client.dispatch("mine", "CreateTable", '{"TableName":"Trips"}');
    await expect(refused).rejects.toThrow(new EngineRefused("the disk is full"));
  });

  it("leaves a file's writes unsynced where that is asked for", async () => {
    const { client, tabs } = engine();
    await client.open("mine", { kind: "opfs", path: "a.db", durability: "relaxed" });
    await client.dispatch("mine", "CreateTable", '{"TableName":"Trips"}');
    expect(tabs[0]?.calls).not.toContain("mine sync");
  });

  it("says when a store stands in memory for want of OPFS", async () => {
    const { client } = engine(false);
    expect(await client.open("mine", { kind: "opfs", path: "a.db" })).toBe("memory");
  });

  it("undoes and resets", async () => {
    const { client } = engine();
    await client.open("tab", SETUP);
    await put(client, "tab", "1");
    expect(await client.undo("tab")).toEqual({ operation: "PutItem", table: "Trips" });
    expect(await keysIn(client, "tab")).toEqual([]);
    await put(client, "tab", "2");
    await client.reset("tab");
    expect(await keysIn(client, "tab")).toEqual([]);
  });

  it("starts again on the same data after a panic, and says that the request was not answered", async () => {
    const { client, tabs } = engine();
    await client.open("tab", SETUP);
    await client.open("mine", { kind: "opfs", path: "a.db" });
    await client.dispatch("mine", "CreateTable", '{"TableName":"Trips"}');
    await put(client, "tab", "1");
    await put(client, "tab", "2");
    await client.undo("tab");
    await put(client, "mine", "kept");
    tabs[0]?.panicsAt.add("Scan");
    await expect(client.dispatch("tab", "Scan", '{"TableName":"Trips"}')).rejects.toBeInstanceOf(
      EngineStopped,
    );
    expect(tabs).toHaveLength(2);
    expect(await keysIn(client, "tab")).toEqual(["1"]);
    expect(await keysIn(client, "mine")).toEqual(["kept"]);
  });

  it("stops what runs and goes on with the same data", async () => {
    const { client } = engine();
    await client.open("tab", SETUP);
    await put(client, "tab", "1");
    const waiting = client.dispatch("tab", "Scan", '{"TableName":"Trips"}');
    const stopped = expect(waiting).rejects.toMatchObject({ by: "stop" });
    await Promise.resolve();
    await client.stop();
    await stopped;
    expect(await keysIn(client, "tab")).toEqual(["1"]);
  });

  it("waits for a file that the worker before still holds, while other stores go on", async () => {
    const { client, held, waits } = engine();
    await client.open("tab", SETUP);
    await client.open("mine", { kind: "opfs", path: "a.db" });
    await client.dispatch("mine", "CreateTable", '{"TableName":"Trips"}');
    await put(client, "mine", "kept");
    held.set("a.db", 3);
    await Promise.all([
      client.stop(),
      put(client, "tab", "1").then(() =>
        expect(held.get("a.db"), "the file is still held").toBeGreaterThan(0),
      ),
    ]);
    expect(await keysIn(client, "mine")).toEqual(["kept"]);
    expect(waits).toHaveLength(3);
  });

  it("waits for a held file no longer than its limit, and says so to whoever asks", async () => {
    const { client, held, waits } = engine();
    held.set("a.db", Infinity);
    await expect(client.open("mine", { kind: "opfs", path: "a.db" })).rejects.toThrow(
      "a.db is held by another page of this browser",
    );
    const waited = waits.reduce((sum, wait) => sum + wait, 0);
    expect(waited).toBe(15_000);

    held.set("b.db", 0);
    await client.open("other", { kind: "opfs", path: "b.db" });
    held.set("b.db", Infinity);
    await client.stop();
    await expect(client.dispatch("other", "ListTables", "{}")).rejects.toBeInstanceOf(EngineRefused);
  });

  it("gives a database away as a copy, which is its own and outlives a stop", async () => {
    const { client } = engine();
    await client.open("mine", { kind: "opfs", path: "a.db" });
    await client.dispatch("mine", "CreateTable", '{"TableName":"Trips"}');
    await put(client, "mine", "before");
    const image = await client.export("mine");
    expect(await client.open("copy", { kind: "copy", image })).toBe("memory");
    await put(client, "copy", "copy's");
    await put(client, "mine", "owner's");
    await client.stop();
    expect(await keysIn(client, "copy")).toEqual(["before", "copy's"]);
    expect(await keysIn(client, "mine")).toEqual(["before", "owner's"]);
  });

  it("refuses what it can't do and goes on", async () => {
    const { client, tabs } = engine();
    await client.open("tab", SETUP);
    await expect(client.inspect("tab", "Boats")).rejects.toBeInstanceOf(EngineRefused);
    await put(client, "tab", "1");
    expect(tabs).toHaveLength(1);
  });
});

describe("the steps of a store's jobs", () => {
  /** A host in hand: its answers, and the timers that it asked for. */
  function host(tab: FakeTab): {
    host: Host;
    answers: Answer[];
    timers: { milliseconds: number; call: () => void }[];
    /** Waits until every queue is empty. */
    settled: () => Promise<void>;
  } {
    const answers: Answer[] = [];
    const timers: { milliseconds: number; call: () => void }[] = [];
    const made = new Host(tab, {
      now: () => 1_000,
      hasOpfs: async () => true,
      after: (milliseconds, call) => void timers.push({ milliseconds, call }),
      soon: (call) => void setTimeout(call),
      post: (answer) => void answers.push(answer),
    });
    const settled = (): Promise<void> => new Promise((resume) => setTimeout(resume));
    return { host: made, answers, timers, settled };
  }

  const list = (id: number): Message => ({
    id,
    store: "tab",
    target: "DynamoDB_20120810.ListTables",
    body: new TextEncoder().encode("{}"),
  });

  it("follow each answer, and run again when the next is due", async () => {
    const tab = new FakeTab();
    const { host: held, timers, settled } = host(tab);
    tab.onStep = () => 1_250;
    held.receive({ id: 1, control: "open", store: "tab", options: SETUP });
    await settled();
    expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([250]);
    held.receive(list(2));
    await settled();
    expect(timers, "one timer waits for one step").toHaveLength(1);
    tab.onStep = () => 1_100;
    held.receive(list(3));
    await settled();
    expect(
      timers.map(({ milliseconds }) => milliseconds),
      "a job that is due sooner",
    ).toEqual([250, 100]);
    tab.onStep = () => undefined;
    const steps = (): number => tab.calls.filter((call) => call === "tab step").length;
    const before = steps();
    timers[1]?.call();
    await settled();
    expect(steps()).toBe(before + 1);
    expect(timers).toHaveLength(2);
  });

  it("wait for their turn: a store that is opening is not stepped", async () => {
    const tab = new FakeTab();
    const { host: held, timers, settled } = host(tab);
    tab.onStep = () => 1_000;
    held.receive({ id: 1, control: "open", store: "tab", options: { kind: "opfs", path: "a.db" } });
    await settled();
    tab.onStep = () => undefined;
    let opened = (): void => {};
    tab.open_opfs = () => new Promise((resume) => (opened = () => resume(true)));
    held.receive({ id: 2, control: "open", store: "tab", options: { kind: "opfs", path: "a.db" } });
    const steps = (): number => tab.calls.filter((call) => call === "tab step").length;
    const before = steps();
    timers[0]?.call();
    await settled();
    expect(steps()).toBe(before);
    opened();
    await settled();
    expect(steps()).toBe(before + 2);
  });

  it("that fail are no answers, throw nothing at the timer, and are tried after the next message", async () => {
    const tab = new FakeTab();
    const { host: held, answers, timers, settled } = host(tab);
    tab.onStep = () => 1_000;
    held.receive({ id: 1, control: "open", store: "tab", options: SETUP });
    await settled();
    for (const failure of [new Error("the disk is full"), new WebAssembly.RuntimeError("unreachable")]) {
      tab.onStep = () => {
        throw failure;
      };
      expect(() => timers.at(-1)?.call()).not.toThrow();
      await settled();
      expect(answers).toHaveLength(1);
    }
    const waiting = timers.length;
    held.receive(list(2));
    await settled();
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(answers[1]).toMatchObject({ status: 200 });
    expect(timers, "a failing step is not tried again by itself").toHaveLength(waiting);
    tab.onStep = () => 2_000;
    held.receive(list(3));
    await settled();
    expect(timers).toHaveLength(waiting + 1);
  });
});

describe("the weather and the clock", () => {
  it("are asked for, told, and refused in words", async () => {
    const { client } = engine();
    await client.open("tab", SETUP);
    expect((await client.weather("tab")).weather).toEqual({});
    expect((await client.weather("tab", { lag: { table: 300 } })).weather).toEqual({ lag: { table: 300 } });
    await expect(client.weather("tab", { lags: 1 })).rejects.toThrow('no member "lags"');
    expect(await client.clock({ advance: 60_000, rate: 0 })).toEqual({ now: 60_000, text: "", rate: 0 });
    expect((await client.clock()).now).toBe(60_000);
  });

  it("are as they were after a reset, and after the worker was started again", async () => {
    const { client, tabs } = engine();
    await client.open("tab", SETUP);
    await client.weather("tab", { seed: 1, partialBatches: 0.5 });
    await client.clock({ to: 5_000, rate: 0 });
    const given = 'tab weather {"seed":1,"partialBatches":0.5}';
    await client.reset("tab");
    expect(tabs[0]?.calls.filter((call) => call === given)).toHaveLength(2);
    await client.stop();
    expect(tabs[1]?.calls).toContain(given);
    expect(tabs[1]?.time).toBe(5_000);
    expect(tabs[1]?.rate).toBe(0);
    expect(tabs[1]?.calls.indexOf(given), "what brings the store back meets no weather").toBeGreaterThan(
      tabs[1]?.calls.lastIndexOf("tab CreateTable") ?? Infinity,
    );
  });

  it("hold an answer until its moment, while others go on, and let it go when the clock is moved", async () => {
    const answers: Answer[] = [];
    const timers: { milliseconds: number; call: () => void }[] = [];
    const tab = new FakeTab();
    const held = new Host(tab, {
      now: () => 0,
      hasOpfs: async () => true,
      after: (milliseconds, call) => void timers.push({ milliseconds, call }),
      soon: (call) => void setTimeout(call),
      post: (answer) => void answers.push(answer),
    });
    const settled = (): Promise<void> => new Promise((resume) => setTimeout(resume));
    const ids = (): number[] => answers.map(({ id }) => id);
    const scan = (id: number): Message => ({
      id,
      store: "tab",
      target: "DynamoDB_20120810.Scan",
      body: new TextEncoder().encode('{"TableName":"Trips"}'),
    });
    held.receive({ id: 1, control: "open", store: "tab", options: SETUP });
    await settled();
    tab.notBefore = 400;
    held.receive(scan(2));
    tab.notBefore = 400;
    await settled();
    tab.notBefore = undefined;
    held.receive(scan(3));
    await settled();
    expect(ids()).toEqual([1, 3]);
    expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([400]);
    timers[0]?.call();
    expect(ids(), "the clock is slower than the timer").toEqual([1, 3]);
    held.receive({ id: 4, control: "clock", store: "", advance: 400 });
    await settled();
    expect(ids()).toEqual([1, 3, 2, 4]);
    tab.notBefore = 900;
    held.receive({ id: 5, control: "clock", store: "", rate: 0 });
    await settled();
    held.receive(scan(6));
    await settled();
    expect(ids(), "by a clock that stands nothing takes time").toEqual([1, 3, 2, 4, 5, 6]);
  });
});
