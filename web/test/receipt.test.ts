import { describe, expect, it } from "vitest";
import type { Access } from "../src/contract";
import {
  consumedIn,
  factorOf,
  groupsOf,
  hiddenWords,
  plainWords,
  rulerOf,
  sentenceOf,
  totalText,
} from "../src/receipt/lines";
import { readAccess, traceOf } from "./traces";

function written(access: Access, named: boolean): string[] {
  return groupsOf(access, named)
    .flat()
    .map(({ label, figure, name }) => `${label}${name === null ? "" : ` ${name}`} ${figure}`);
}

describe("a receipt", () => {
  const access = readAccess("kiel", "000", "002", 15, ["000", "001", "002"]);

  it("says every step from bytes to units, and what rounding hid", () => {
    expect(written(access, true)).toEqual([
      "partitions touched 1",
      "examined ScannedCount 15",
      "returned Count 3",
      "bytes read 4,338",
      "÷ 4,096 1.06",
      "rounded up 2",
      "eventually consistent × 0.5",
      "bytes charged 8,192",
      "hidden by rounding 3,854",
      "table Trips 1.0",
    ]);
  });

  it("uses the service's names only where its answer has them", () => {
    expect(written(access, false)).toContain("examined 15");
  });

  it("says the same in plain words", () => {
    expect(plainWords(access, false)).toBe("15 items were read and charged; 3 came back.");
    expect(plainWords(readAccess("kiel", "000", "000", 1, ["000"]), false)).toBe(
      "1 item was read, and it came back.",
    );
    expect(plainWords(readAccess("kiel", "000", "001", 2, []), false)).toBe(
      "2 items were read and charged; none came back.",
    );
  });

  it("says of a write what became of the item, and of a refused one that it is charged", () => {
    const words = (before: number, after: number, refused = false): string =>
      plainWords({ ...access, kind: "write", before, after }, refused);
    expect(words(0, 68)).toBe("A new item was written; none was there before.");
    expect(words(90, 68)).toBe("An item was there before. The larger of the two is charged.");
    expect(words(90, 0)).toBe("The item was deleted. Its bytes are charged.");
    expect(words(0, 0)).toBe("No item was there, and none was written.");
    expect(words(90, 90, true)).toBe(
      "The item that is there was examined; nothing was written. A refused write is charged all the same.",
    );
    expect(words(0, 0, true)).toContain("No item was there; nothing was written.");
  });

  it("has one sentence for the live region", () => {
    const trace = traceOf(access, readAccess("visby", "000", "001", 2, []));
    expect(sentenceOf(trace)).toBe("17 examined, 3 returned, 2.0 read units.");
  });

  it("says of a request that cost nothing that it cost nothing, in its operation's units", () => {
    const free = (operation: string): string => totalText({ ...traceOf(), operation });
    expect(["Query", "GetItem", "BatchGetItem"].map(free)).toEqual(Array(3).fill("0.0 read units"));
    expect(["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"].map(free)).toEqual(
      Array(4).fill("0.0 write units"),
    );
    expect(["DeleteTable", "TagResource"].map(free)).toEqual(Array(2).fill("0 units"));
  });

  it("takes the ruler's figures from the trace", () => {
    expect(rulerOf(access)).toMatchObject({
      blocks: 2,
      examined: 1.0591,
      block: "4,096 B",
      charged: "8,192 B",
      label: "1.06 blocks of 4,096 B used, 2 charged",
    });
    expect(rulerOf({ ...access, arithmetic: [] })).toBeNull();
  });

  it("shows a write's two sides and its larger", () => {
    const write: Access = {
      ...access,
      kind: "write",
      before: 90,
      after: 1_500,
      arithmetic: [
        { step: "bytes", value: 1_500 },
        { step: "divide", by: 1_024, value: 1.4648 },
        { step: "round-up", value: 2 },
      ],
      units: { read: 0, write: 2 },
    };
    expect(written(write, false).slice(3, 6)).toEqual([
      "bytes before 90",
      "bytes after 1,500",
      "the larger 1,500",
    ]);
    expect(totalText(traceOf(write))).toBe("2.0 write units");
  });
});

describe("receipts side by side", () => {
  const of = (read: number): ReturnType<typeof traceOf> => {
    const access = readAccess("kiel", "000", "002", 15, []);
    return traceOf({ ...access, units: { read, write: 0 } });
  };

  it("say how many times the one cost the other, where both are charged alike", () => {
    expect(factorOf(of(0.5), of(3.5))).toBe("7×");
    expect(factorOf(of(2), of(1.5))).toBe("1.3×");
    expect(factorOf(of(0), of(1))).toBeNull();
    const write = traceOf({ ...readAccess("kiel", "000", "000", 1, []), units: { read: 0, write: 1 } });
    expect(factorOf(of(1), write)).toBeNull();
  });

  it("say what rounding hid, and nothing where it hid nothing", () => {
    const access = readAccess("kiel", "000", "002", 15, []);
    expect(hiddenWords(access)).toBe("4,338 B read, 8 KB charged.");
    expect(hiddenWords({ ...access, charged: { bytes: 8_192, hidden: 0 } })).toBeNull();
  });

  it("of another endpoint have the units that its answer tells", () => {
    expect(consumedIn({ ConsumedCapacity: { CapacityUnits: 0.5 } })).toBe("0.5");
    expect(consumedIn({ ConsumedCapacity: [{ CapacityUnits: 1 }, { CapacityUnits: 2.5 }] })).toBe("3.5");
    expect(consumedIn({ Items: [] })).toBeNull();
  });
});
