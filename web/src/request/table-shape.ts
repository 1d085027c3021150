/** What a table is, as DescribeTable says: its key, its indexes, and the names of attributes seen in it. */
import type { Inspection, KeyAttribute } from "../contract";

/** One index. */
export interface IndexShape {
  readonly name: string;
  readonly kind: "global" | "local";
  readonly partition: readonly KeyAttribute[];
  readonly sort: readonly KeyAttribute[];
}

/** One table. */
export interface TableShape {
  readonly name: string;
  readonly partition: readonly KeyAttribute[];
  readonly sort: readonly KeyAttribute[];
  readonly indexes: readonly IndexShape[];
  /** What the table holds, as its description says. */
  readonly held?: { readonly items: number; readonly bytes: number };
}

interface Described {
  readonly TableName?: string;
  readonly KeySchema?: readonly KeyElement[];
  readonly AttributeDefinitions?: readonly { AttributeName: string; AttributeType: string }[];
  readonly ItemCount?: number;
  readonly TableSizeBytes?: number;
  readonly GlobalSecondaryIndexes?: readonly DescribedIndex[];
  readonly LocalSecondaryIndexes?: readonly DescribedIndex[];
}
interface DescribedIndex {
  readonly IndexName: string;
  readonly KeySchema: readonly KeyElement[];
}
interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: string;
}

/** The table of a DescribeTable's answer; nothing where it says none. */
export function tableShapeOf(answer: unknown): TableShape | null {
  const { Table } = (answer ?? {}) as { Table?: Described };
  if (Table?.TableName === undefined) return null;
  const types = new Map(Table.AttributeDefinitions?.map((each) => [each.AttributeName, each.AttributeType]));
  const half = (schema: readonly KeyElement[] | undefined, kind: string): KeyAttribute[] =>
    (schema ?? [])
      .filter(({ KeyType }) => KeyType === kind)
      .map(({ AttributeName }) => ({ name: AttributeName, type: types.get(AttributeName) ?? "S" }));
  const index =
    (kind: IndexShape["kind"]) =>
    ({ IndexName, KeySchema }: DescribedIndex): IndexShape => ({
      name: IndexName,
      kind,
      partition: half(KeySchema, "HASH"),
      sort: half(KeySchema, "RANGE"),
    });
  const { ItemCount, TableSizeBytes } = Table;
  return {
    name: Table.TableName,
    ...(ItemCount === undefined || TableSizeBytes === undefined
      ? {}
      : { held: { items: ItemCount, bytes: TableSizeBytes } }),
    partition: half(Table.KeySchema, "HASH"),
    sort: half(Table.KeySchema, "RANGE"),
    indexes: [
      ...(Table.GlobalSecondaryIndexes ?? []).map(index("global")),
      ...(Table.LocalSecondaryIndexes ?? []).map(index("local")),
    ],
  };
}

/** The key of a table, or of one of its indexes. */
export function keyOf(table: TableShape, index: string | undefined): Pick<IndexShape, "partition" | "sort"> {
  return table.indexes.find(({ name }) => name === index) ?? table;
}

/** The table's key attributes, partition key first. */
export function keyAttributesOf({ partition, sort }: Pick<IndexShape, "partition" | "sort">): KeyAttribute[] {
  return [...partition, ...sort];
}

/** What a page shows of a table before its engine has described it. */
export function shapeOfInspection({ table, key }: Inspection): TableShape {
  return {
    name: table,
    partition: [key.partition, ...(key.morePartition ?? [])],
    sort: key.sort === undefined ? [] : [key.sort, ...(key.moreSort ?? [])],
    indexes: [],
  };
}
