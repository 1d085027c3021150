import { describe, expect, it, vi } from "vitest";
import type { StageData } from "../src/contract";
import type { EngineClient, Reply } from "../src/engine/client";
import { copyDesign } from "../src/studio/copying";
import { Ledger } from "../src/studio/ledger.svelte";
import { inspectionOf } from "./fake-tab";
import { key, readAccess, traceOf } from "./traces";

const PAGE: StageData = {
  tables: ["Trips"],
  setup: [
    { target: "DynamoDB_20120810.CreateTable", body: { TableName: "Trips" } },
    { target: "DynamoDB_20120810.PutItem", body: { TableName: "Trips", Item: {} } },
  ],
  patterns: [],
  inspections: [inspectionOf("Trips", [])],
};

function reply(status: number, text = "{}"): Reply {
  return { status, text, trace: null };
}

describe("a ledger", () => {
  it("numbers requests, adds up what their traces say and keeps the service's words", () => {
    const ledger = new Ledger();
    const trace = traceOf(readAccess("kiel", "000", "002", 3, []));
    ledger.add(
      { operation: "Query", body: '{"TableName":"Trips"}' },
      { status: 200, text: "{}", trace },
      new Date(0),
    );
    ledger.add({ operation: "Query", body: "{" }, { status: 200, text: "{}", trace }, new Date(0));
    const text =
      '{"__type":"com.amazon.coral.validate#ValidationException","message":"Query condition missed"}';
    const refused = ledger.add(
      { operation: "Query", body: "{}" },
      { status: 400, text, trace: null },
      new Date(0),
    );
    expect(ledger.entries.map((entry) => entry.number)).toEqual([1, 2, 3]);
    expect(ledger.sum).toEqual({ read: 2, write: 0 });
    expect(refused.error).toEqual({ type: "ValidationException", message: "Query condition missed" });
    expect(ledger.undoable).toBeNull();
  });

  it("reads an answer once, for all that show it", () => {
    const parse = vi.spyOn(JSON, "parse");
    const text = '{"Items":[],"Count":0,"ScannedCount":4}';
    const trace = traceOf(readAccess("kiel", "000", "003", 4, []));
    const entry = new Ledger().add(
      { operation: "Scan", body: '{"TableName":"Trips"}' },
      { status: 200, text, trace },
      new Date(0),
    );
    expect(parse.mock.calls.filter(([parsed]) => parsed === text)).toHaveLength(1);
    parse.mockRestore();
    expect(entry.answer).toEqual({ Items: [], Count: 0, ScannedCount: 4 });
  });

  it("knows what a request wrote, and that a refused one wrote nothing", () => {
    const ledger = new Ledger();
    const access = { ...readAccess("kiel", "000", "000", 1, []), kind: "write" as const };
    const item = key("kiel", "000");
    const put = { operation: "PutItem", body: JSON.stringify({ TableName: "Trips", Item: item }) };
    const written = ledger.add(put, { status: 200, text: "{}", trace: traceOf(access) }, new Date(0));
    expect(written.written).toEqual([{ table: "Trips", item }]);
    const text = '{"__type":"x#ConditionalCheckFailedException","message":"The conditional request failed"}';
    const refused = ledger.add(put, { status: 400, text, trace: traceOf(access) }, new Date(0));
    expect([refused.written, refused.changed]).toEqual([[], false]);
    const update = { operation: "UpdateItem", body: JSON.stringify({ TableName: "Trips", Key: item }) };
    const updated = ledger.add(update, { status: 200, text: "{}", trace: traceOf(access) }, new Date(0));
    expect(updated.written).toEqual([{ table: "Trips", item }]);
    const get = { operation: "GetItem", body: JSON.stringify({ TableName: "Trips", Key: item }) };
    const read = readAccess("kiel", "000", "000", 1, ["000"]);
    const got = ledger.add(get, { status: 200, text: "{}", trace: traceOf(read) }, new Date(0));
    expect(got.written).toEqual([]);
  });

  it("takes an answer that is no JSON object as text", () => {
    const request = { operation: "Scan", body: "{" };
    const entry = new Ledger().add(request, { status: 502, text: "no gateway", trace: null }, new Date(0));
    expect(entry.answer).toBeNull();
    expect(entry.error).toEqual({ type: "Error", message: "no gateway" });
    expect(entry.table).toBe("");
  });

  it("knows the last change, and the one before it once that is undone", () => {
    const ledger = new Ledger();
    const create = { operation: "CreateTable", body: '{"TableName":"Trips"}' };
    ledger.add(create, reply(200), new Date(0));
    ledger.add({ operation: "DeleteTable", body: '{"TableName":"Trips"}' }, reply(200), new Date(0));
    expect(ledger.undoable?.number).toBe(2);
    ledger.markUndone({ operation: "DeleteTable", table: "Trips" });
    expect(ledger.undoable?.number).toBe(1);
    expect(ledger.markUndone({ operation: "PutItem", table: "Trips" })).toBeNull();
  });
});

describe("copying a design", () => {
  function client(there: boolean): { client: EngineClient; sent: string[] } {
    const sent: string[] = [];
    const dispatch = async (_store: string, operation: string): Promise<Reply> => {
      sent.push(operation);
      return reply(operation === "DescribeTable" && !there ? 400 : 200);
    };
    return { client: { dispatch } as unknown as EngineClient, sent };
  }

  it("sends the design's own requests", async () => {
    const { client: empty, sent } = client(false);
    expect(await copyDesign(empty, PAGE, false)).toEqual({ outcome: "copied", tables: ["Trips"], items: 1 });
    expect(sent).toEqual(["DescribeTable", "CreateTable", "PutItem"]);
  });

  it("touches no table of the same name unless told to replace it", async () => {
    const { client: full, sent } = client(true);
    expect(await copyDesign(full, PAGE, false)).toEqual({ outcome: "there already", tables: ["Trips"] });
    expect(sent).toEqual(["DescribeTable"]);
    expect((await copyDesign(full, PAGE, true)).outcome).toBe("copied");
    expect(sent.slice(1)).toEqual(["DescribeTable", "DeleteTable", "CreateTable", "PutItem"]);
  });
});
