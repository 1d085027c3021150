import { describe, expect, it } from "vitest";
import {
  controlCommand,
  ERRORS,
  fieldOf,
  fineForm,
  formOf,
  happenings,
  namesOf,
  serveCommand,
  settingsOf,
  SMALL_FIGURES,
  type WeatherForm,
} from "../src/weather/settings";
import { Weather } from "../src/weather/weather.svelte";
import { EngineClient } from "../src/engine/client";
import { Host } from "../src/engine/host";
import { FakeTab } from "./fake-tab";

/** A form in which everything is on. */
function storm(): WeatherForm {
  return {
    seed: "7",
    lag: { table: "300", index: "900" },
    throttling: "small",
    figures: {},
    partialBatches: "0.25",
    conflicts: { hold: "400", rate: "0.1" },
    latency: { min: "5", max: "40" },
    errors: { error: "InternalServerError", rate: "0.1", operation: "PutItem", table: "Shop", after: true },
    lifecycle: { table: "3000", index: "4000", backfill: "8000" },
  };
}

describe("the weather's form", () => {
  it("asks for nothing where nothing is filled in", () => {
    expect(settingsOf(fineForm())).toEqual({});
    expect(formOf({})).toEqual(fineForm());
  });

  it("becomes the settings of the engine", () => {
    expect(settingsOf(storm())).toEqual({
      seed: 7,
      lag: { table: 300, index: 900 },
      throttling: SMALL_FIGURES,
      partialBatches: 0.25,
      conflicts: { hold: 400, rate: 0.1 },
      latency: { min: 5, max: 40 },
      errors: [{ error: "InternalServerError", rate: 0.1, operation: "PutItem", table: "Shop", after: true }],
      lifecycle: { table: 3000, index: 4000, backfill: 8000 },
    });
  });

  it("and the settings become the form, whatever is on", () => {
    const forms = [
      storm(),
      { ...fineForm(), throttling: "service" as const },
      { ...fineForm(), throttling: "own" as const, figures: { partitionWrite: 5 } },
      { ...fineForm(), lag: { table: "", index: "700" } },
      ...ERRORS.map((error) => ({ ...fineForm(), errors: { ...fineForm().errors, error } })),
    ];
    for (const form of forms) expect(formOf(settingsOf(form))).toEqual(form);
  });

  it("is made from what the engine tells, which has all figures", () => {
    const figures = {
      burstSeconds: 300,
      partitionRead: 3000,
      partitionWrite: 1000,
      onDemandRead: 12000,
      onDemandWrite: 4000,
      accountRead: 40000,
      accountWrite: 40000,
      growth: 1800000,
      splitAfter: 300000,
    };
    expect(formOf({ seed: 0, throttling: figures })).toEqual({ ...fineForm(), throttling: "service" });
    const small = formOf({ seed: 0, throttling: { ...figures, ...SMALL_FIGURES } });
    expect(small.throttling).toBe("small");
    expect(formOf({ throttling: { ...figures, partitionRead: 1 } }).throttling).toBe("own");
  });

  it("leaves it to the engine to refuse what is no figure", () => {
    const form = { ...fineForm(), lag: { table: "soon", index: "" }, partialBatches: "-1" };
    expect(settingsOf(form)).toEqual({ lag: { table: "soon" }, partialBatches: -1 });
    expect(settingsOf({ ...fineForm(), seed: "Infinity" })).toEqual({ seed: "Infinity" });
    expect(fieldOf("lag.table is a whole number from 0 to 86400000")).toBe("lag.table");
    expect(fieldOf("weather.partialBatches is a share from 0 to 1")).toBe("partialBatches");
    expect(fieldOf("no store is called tab")).toBeNull();
  });

  it("says what is on, and what came of it", () => {
    expect(namesOf({ seed: 3 })).toEqual([]);
    expect(namesOf({ seed: 3, partialBatches: 0.2, lag: { table: 1, index: 1 } })).toEqual([
      "lag",
      "partial batches",
    ]);
    expect(happenings({ throttled: 2, hailed: 1 })).toEqual([
      { word: "throttled", count: 2 },
      { word: "hailed", count: 1 },
    ]);
  });

  it("is a command for the native server", () => {
    expect(serveCommand({}, 1)).toBe("keyplan serve --control");
    const errors = settingsOf({
      ...fineForm(),
      errors: { error: "ServiceUnavailable", rate: "", operation: "", table: "it's", after: false },
    });
    expect(serveCommand(errors, 60)).toBe(
      `keyplan serve --weather '{"errors":[{"error":"ServiceUnavailable","table":"it'\\''s"}]}' --clock 60 --control`,
    );
    expect(controlCommand({})).toBe("curl http://127.0.0.1:8001/weather -d '{}'");
  });
});

describe("the weather of a page", () => {
  /** An engine that is a fake, with two stores. */
  async function begun(): Promise<{ tab: FakeTab; weather: Weather; stores: string[] }> {
    const tab = new FakeTab();
    const client = new EngineClient(() => {
      const worker = {
        onmessage: null as ((event: MessageEvent) => void) | null,
        onerror: null,
        terminate: () => {},
        postMessage: (message: Parameters<Host["receive"]>[0]) => host.receive(message),
      };
      const host = new Host(tab, {
        now: () => 0,
        hasOpfs: async () => false,
        after: () => {},
        soon: (call) => call(),
        post: (answer) => worker.onmessage?.({ data: answer } as MessageEvent),
      });
      return worker;
    });
    for (const store of ["tab", "mine"]) await client.open(store, { kind: "memory", setup: [] });
    const stores = ["tab"];
    return { tab, weather: new Weather(client, () => stores), stores };
  }

  it("is given to all open stores, and to one that opens later", async () => {
    const { tab, weather, stores } = await begun();
    weather.form.partialBatches = "0.5";
    expect([weather.sign, weather.changed]).toEqual(["", true]);
    await weather.apply();
    expect([weather.sign, weather.changed]).toEqual(["Weather: partial batches", false]);
    stores.push("mine");
    await weather.opened("mine");
    const told = tab.calls.filter((call) => call.includes(" weather "));
    expect(told).toEqual(['tab weather {"partialBatches":0.5}', 'mine weather {"partialBatches":0.5}']);
    await weather.fine();
    expect(tab.calls.slice(-2).filter((call) => call.endsWith("weather {}"))).not.toEqual([]);
    expect([weather.sign, weather.form]).toEqual(["", fineForm()]);
  });

  it("stays as it was where the engine refuses, and says why at the field", async () => {
    const { tab, weather } = await begun();
    tab.refusal = "lag.table is a whole number from 0 to 86400000";
    weather.form.lag.table = "soon";
    await weather.apply();
    expect(weather.refusal).toEqual({ field: "lag.table", text: tab.refusal });
    expect([weather.sign, weather.changed]).toEqual(["", true]);
    tab.refusal = "";
    weather.form.lag.table = "5";
    await weather.apply();
    expect([weather.sign, weather.refusal]).toEqual(["Weather: lag", null]);
  });

  it("has a clock that shows the time without being asked again, and a sign while it isn't the machine's", async () => {
    const { weather } = await begun();
    await weather.move({ to: Date.now() });
    expect(weather.sign).toBe("");
    await weather.move({ advance: 60_000 });
    expect(weather.sign).toBe("Clock is ahead");
    await weather.move({ rate: 60 });
    expect(weather.sign).toBe("Clock runs 60 times as fast");
    const { now = 0, askedAt = 0 } = weather.clock ?? {};
    expect(weather.nowAt(askedAt + 1_000)).toBe(now + 60_000);
    await weather.move({ rate: 0 });
    expect(weather.sign).toBe("Clock stands");
    await weather.fine();
    expect(weather.clock?.rate).toBe(1);
  });
});
