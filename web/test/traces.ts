/** Traces for tests, in the engine's own form. */
import type { Access, Item, Trace } from "../src/contract";

export function key(pk: string, sk: string): Item {
  return { pk: { S: pk }, sk: { S: sk } };
}

/** A Query that examined from `first` to `last` and returned some. */
export function readAccess(
  pk: string,
  first: string,
  last: string,
  examined: number,
  returned: string[],
): Access {
  return {
    table: "Trips",
    index: null,
    kind: "read",
    partitions: [
      {
        hash: "0d0312aa",
        partitionKey: { pk: { S: pk } },
        runs: [{ first: key(pk, first), last: key(pk, last), items: examined, bytes: 4_338 }],
        returned: returned.map((sk) => key(pk, sk)),
        returnedBytes: 1_200,
      },
    ],
    examined: { items: examined, bytes: 4_338 },
    returned: { items: returned.length, bytes: 1_200 },
    stopped: "end",
    arithmetic: [
      { step: "bytes", value: 4_338 },
      { step: "divide", by: 4_096, value: 1.0591 },
      { step: "round-up", value: 2 },
      { step: "factor", by: 0.5, because: "eventually consistent", value: 1 },
    ],
    charged: { bytes: 8_192, hidden: 3_854 },
    units: { read: 1, write: 0 },
  };
}

export function traceOf(...accesses: Access[]): Trace {
  const sum = (side: "read" | "write"): number =>
    accesses.reduce((all, access) => all + access.units[side], 0);
  return { operation: "Query", accesses, units: { read: sum("read"), write: sum("write") } };
}
