import { describe, expect, it, vi } from "vitest";
import type { Access, Item } from "../src/contract";
import { planOf, type Plan, type Room } from "../src/plan/rooms";
import { inspectionOf } from "./fake-tab";
import { key, readAccess } from "./traces";

function trips(pk: string, count: number): Item[] {
  return Array.from({ length: count }, (_, at) => ({
    pk: { S: pk },
    sk: { S: String(at).padStart(3, "0") },
    to: { S: "Oslo" },
    seats: { N: "9" },
  }));
}

function marks(room: Room | undefined): string {
  const items = room?.segments.flatMap((segment) => segment.items) ?? [];
  return items.map((item) => (item.returned ? "r" : item.examined ? "x" : ".")).join("");
}

describe("a plan", () => {
  const items = [...trips("kiel", 5), ...trips("visby", 3), ...trips("turku", 2)];

  it("is unmarked before a request", () => {
    const plan = planOf(inspectionOf("Trips", items), []);
    expect(plan.rooms.map((room) => room.name)).toEqual(["kiel", "visby", "turku"]);
    expect(plan.rooms.map(marks)).toEqual([".....", "...", ".."]);
    expect(plan.rooms.map((room) => room.route)).toEqual([undefined, undefined, undefined]);
    expect(plan.rooms[0]?.label).toBe("Partition kiel");
    expect(plan.rooms[0]?.dimension).toBe("5 items, 500 B");
  });

  it("outlines what was examined and fills what was returned, whichever way the read went", () => {
    for (const [first, last] of [
      ["000", "002"],
      ["002", "000"],
    ] as const) {
      const plan = planOf(inspectionOf("Trips", items), [readAccess("visby", first, last, 3, ["001"])]);
      expect(plan.rooms.map(marks)).toEqual([".....", "xrx", ".."]);
      expect([plan.examined, plan.returned]).toEqual([3, 1]);
      expect(plan.rooms[1]?.label).toBe("Partition visby: 3 examined, 1 returned");
    }
  });

  it("walks past closed rooms and into the one that was read", () => {
    const plan = planOf(inspectionOf("Trips", items), [readAccess("visby", "000", "002", 3, [])]);
    expect(plan.rooms.map((room) => room.route)).toEqual(["pass", "enter", undefined]);
    const both = planOf(inspectionOf("Trips", items), [
      readAccess("kiel", "000", "004", 5, []),
      readAccess("turku", "000", "001", 2, []),
    ]);
    expect(both.rooms.map((room) => room.route)).toEqual(["through", "pass", "enter"]);
  });

  it("marks what was written, new or not, and outlines what a write examined", () => {
    const write = (sk: string, examined: number): Access => ({
      ...readAccess("visby", sk, sk, examined, []),
      kind: "write",
      partitions: [
        {
          hash: "0d0312aa",
          partitionKey: { pk: { S: "visby" } },
          runs:
            examined === 0 ? [] : [{ first: key("visby", sk), last: key("visby", sk), items: 1, bytes: 9 }],
          returned: [],
          returnedBytes: 0,
        },
      ],
    });
    const written = (plan: Plan): (string | undefined)[] =>
      plan.rooms.flatMap((room) =>
        room.segments.flatMap(({ items }) => items.filter((item) => item.written).map((item) => item.key)),
      );
    const fresh = planOf(
      inspectionOf("Trips", items),
      [write("001", 0)],
      [{ table: "Trips", item: key("visby", "001") }],
    );
    expect(written(fresh)).toEqual(["001"]);
    expect(fresh.rooms.map(marks)).toEqual([".....", "...", ".."]);
    const replaced = planOf(
      inspectionOf("Trips", items),
      [write("001", 1)],
      [{ table: "Trips", item: { ...key("visby", "001"), to: { S: "Gdynia" } } }],
    );
    expect(written(replaced)).toEqual(["001"]);
    expect(replaced.wrote).toBe(true);
    expect(replaced.rooms.map(marks)).toEqual([".....", ".x.", ".."]);
    const refused = planOf(inspectionOf("Trips", items), [write("001", 1)], []);
    expect(written(refused)).toEqual([]);
    expect(refused.rooms.map(marks)).toEqual([".....", ".x.", ".."]);
    const elsewhere = planOf(
      inspectionOf("Boats", items),
      [write("001", 1)],
      [{ table: "Trips", item: key("visby", "001") }],
    );
    expect(written(elsewhere)).toEqual([]);
  });

  it("marks nothing for a request to another table", () => {
    const plan = planOf(inspectionOf("Boats", items), [readAccess("visby", "000", "002", 3, ["001"])]);
    expect(plan.rooms.map(marks)).toEqual([".....", "...", ".."]);
    expect(plan.examined).toBe(0);
  });

  it("gives the commonest shape places and writes other items out", () => {
    const boat: Item = { pk: { S: "kiel" }, sk: { S: "BOAT" }, name: { S: "Petrel" } };
    const plan = planOf(inspectionOf("Trips", [...trips("kiel", 2), boat]), []);
    expect(plan.columns).toEqual([
      { name: "seats", numeric: true },
      { name: "to", numeric: false },
    ]);
    expect(plan.whole).toBe(true);
    const [first, , last] = plan.rooms[0]?.segments[0]?.items ?? [];
    expect(first?.cells).toEqual(["9", "Oslo"]);
    expect(last?.cells).toBeNull();
    expect(last?.pairs).toEqual([{ name: "name", text: "Petrel" }]);
  });
});

it("a plan breaks words only where they do not fit beside each other", () => {
  const to = (text: string): Item => ({ pk: { S: "kiel" }, sk: { S: "001" }, to: { S: text } });
  const whole = (text: string): boolean => planOf(inspectionOf("Trips", [to(text)]), []).whole;
  expect(whole("by way of Oslo, then north as far as the ice lets us")).toBe(true);
  expect(whole("Kirkenes-Vardø-Hammerfest-Tromsø")).toBe(false);
});

describe("a plan of two thousand items", () => {
  const all = inspectionOf("Trips", [...trips("kiel", 1_000), ...trips("visby", 1_000)]);

  it("looks at each item's key a few times, however many runs there are", () => {
    const accesses = Array.from({ length: 1_000 }, (_, at) => {
      const sk = String(at).padStart(3, "0");
      return readAccess(at % 2 === 0 ? "kiel" : "visby", sk, sk, 1, [sk]);
    });
    const write = vi.spyOn(JSON, "stringify");
    const plan = planOf(all, accesses);
    const written = write.mock.calls.length;
    write.mockRestore();
    // An item's key and shape once each, and of a run its partition, its ends and what it returned.
    expect(written).toBeLessThanOrEqual(2 * 2_000 + 4 * 1_000 + 10);
    expect(marks(plan.rooms[0])).toBe("r.".repeat(500));
    expect(marks(plan.rooms[1])).toBe(".r".repeat(500));
  });
});

describe("a partition whose end is left out", () => {
  it("is marked to the last item drawn, where a run ends beyond it", () => {
    const whole = inspectionOf("Trips", trips("kiel", 4));
    const [partition] = whole.partitions;
    if (partition === undefined) throw new Error("no partition");
    const part = { ...partition, itemCount: 9, itemsLeftOut: 5 };
    for (const [first, last] of [
      ["002", "008"],
      ["008", "002"],
    ] as const) {
      const access = readAccess("kiel", first, last, 7, []);
      const [room] = planOf({ ...whole, partitions: [part] }, [access]).rooms;
      expect(marks(room)).toBe("..xx");
    }
    const beyond = readAccess("kiel", "006", "008", 3, []);
    expect(marks(planOf({ ...whole, partitions: [part] }, [beyond]).rooms[0])).toBe("....");
  });
});

describe("a long partition", () => {
  const long = inspectionOf("Trips", trips("kiel", 60));
  const folds = (room: Room | undefined): (string | null)[] =>
    room?.segments.map((segment) => segment.fold) ?? [];

  it("shows its head before a request", () => {
    expect(folds(planOf(long, []).rooms[0])).toEqual([null, "50 items more"]);
  });

  it("folds what was not read, and never what was", () => {
    const [room] = planOf(long, [readAccess("kiel", "020", "025", 6, ["020"])]).rooms;
    expect(folds(room)).toEqual(["18 items, not read", null, "32 items, not read"]);
    expect(room?.segments[1]?.items).toHaveLength(10);
  });

  it("folds what was examined only when it is more than 40, and says how many", () => {
    const [room] = planOf(long, [readAccess("kiel", "005", "059", 55, ["030"])]).rooms;
    const outlined = room?.segments.filter((segment) => segment.outlined) ?? [];
    expect(outlined.map((segment) => segment.fold)).toEqual(["49 items, 49 examined, 1 returned"]);
  });
});
