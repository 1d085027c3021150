import { describe, expect, it } from "vitest";
import { readCsv } from "../src/request/csv";
import { batchesOf, itemsIn } from "../src/request/items-file";
import { chance, textFrom } from "./chance";

const KEYS = [
  { name: "pk", type: "S" },
  { name: "sk", type: "N" },
];

describe("a CSV", () => {
  it("gives its fields back, whatever is in them", () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const draw = chance(seed);
      const records = Array.from({ length: 1 + draw(3) }, () => ["a", textFrom(draw), textFrom(draw)]);
      const text = [
        "h,i,j",
        ...records.map((each) => each.map((f) => `"${f.replaceAll('"', '""')}"`).join(",")),
      ].join(draw(2) === 0 ? "\n" : "\r\n");
      const read = readCsv(text);
      expect(
        "records" in read ? read.records.slice(1).map(({ fields }) => fields) : read,
        `seed ${seed}`,
      ).toEqual(records);
    }
  });

  it("may be separated by semicolons or tabs, and says its lines", () => {
    expect(readCsv("\uFEFFa;b\n\n1;2,5\n")).toEqual({
      records: [
        { line: 1, fields: ["a", "b"] },
        { line: 3, fields: ["1", "2,5"] },
      ],
    });
    expect(readCsv("a\tb\n1\t2")).toMatchObject({ records: [{}, { fields: ["1", "2"] }] });
    expect(readCsv('a,b\n"x')).toEqual({ fault: "Line 2: a quote is not closed." });
  });

  it("becomes items: keys by the table's types, others by what all their texts are", () => {
    const text =
      "pk,sk,amount,paid,note\n1,10,2.50,true,\nc-2,11,7,FALSE,12345678901234567890123456789012345678901\n";
    expect(itemsIn(text, KEYS).items.map(({ item }) => item)).toEqual([
      { pk: { S: "1" }, sk: { N: "10" }, amount: { N: "2.50" }, paid: { BOOL: true } },
      {
        pk: { S: "c-2" },
        sk: { N: "11" },
        amount: { N: "7" },
        paid: { BOOL: false },
        note: { S: "12345678901234567890123456789012345678901" },
      },
    ]);
  });

  it("says which lines can't be taken, and takes the others", () => {
    const { items, faults } = itemsIn("pk,sk\na,1\n,2\na,1\nb,3,4\n", KEYS);
    expect(items.map(({ place }) => place)).toEqual(["line 2"]);
    expect(faults.map(({ place, reason }) => `${place}: ${reason}`)).toEqual([
      "line 5: it has 3 fields, and the first line names 2",
      "line 3: it has no pk, which the table's key needs",
      "line 4: it has the key of line 2",
    ]);
  });
});

describe("JSON", () => {
  it("is a list, an answer's Items, one item, or one a line; plain or typed", () => {
    const item = { pk: { S: "a" }, sk: { N: "1" } };
    for (const text of [
      '[{"pk":"a","sk":1}]',
      '{"Items":[{"pk":{"S":"a"},"sk":{"N":"1"}}],"Count":1}',
      '{"pk":"a","sk":1}',
      '{"pk":"a","sk":"1"}\n',
    ])
      expect(
        itemsIn(text, KEYS).items.map((each) => each.item),
        text,
      ).toEqual([item]);
    expect(itemsIn('{"pk":"a","sk":1}\n{"pk":"b","sk":2}\n{oops\n', KEYS)).toMatchObject({
      items: [{ place: "line 1" }, { place: "line 2" }],
      faults: [{ place: "line 3", reason: "it is no JSON" }],
    });
  });
});

it("items are written 25 at a time", () => {
  const items = Array.from({ length: 60 }, (_, at) => ({ place: `${at}`, item: { pk: { S: `${at}` } } }));
  const batches = batchesOf("T", items);
  expect(batches.map((batch) => batch.items.length)).toEqual([25, 25, 10]);
  expect(JSON.parse(batches[2]?.body ?? "")).toMatchObject({
    RequestItems: { T: { length: 10, 0: { PutRequest: { Item: { pk: { S: "50" } } } } } },
  });
});
