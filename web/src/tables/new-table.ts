/** A table made by form: its key, its indexes, and the CreateTable that makes it. */

/** One half of a key: an attribute's name and its type. */
export interface KeyHalf {
  name: string;
  type: string;
}

/** An index of the form. A local one shares the table's partition key. */
export interface NewIndex {
  name: string;
  kind: "global" | "local";
  partition: KeyHalf;
  sort: KeyHalf;
  projection: "ALL" | "KEYS_ONLY";
}

/** What the form holds. */
export interface NewTable {
  name: string;
  partition: KeyHalf;
  sort: KeyHalf;
  indexes: NewIndex[];
}

/** A form with nothing in it yet but the names that most tables have. */
export function emptyTable(): NewTable {
  return { name: "", partition: { name: "pk", type: "S" }, sort: { name: "sk", type: "S" }, indexes: [] };
}

/** An index with nothing in it yet. */
export function emptyIndex(): NewIndex {
  return {
    name: "",
    kind: "global",
    partition: { name: "", type: "S" },
    sort: { name: "", type: "S" },
    projection: "ALL",
  };
}

/** The body of the CreateTable. What is wrong with it, the engine says. */
export function createTableBody({ name, partition, sort, indexes }: NewTable): object {
  const types = new Map<string, string>();
  const schema = (hash: KeyHalf, range: KeyHalf): object[] => {
    for (const half of [hash, range]) if (half.name !== "") types.set(half.name, half.type);
    return [
      { AttributeName: hash.name, KeyType: "HASH" },
      ...(range.name === "" ? [] : [{ AttributeName: range.name, KeyType: "RANGE" }]),
    ];
  };
  const KeySchema = schema(partition, sort);
  const made = (kind: NewIndex["kind"]): object[] =>
    indexes
      .filter((index) => index.kind === kind)
      .map((index) => ({
        IndexName: index.name,
        KeySchema: schema(kind === "local" ? partition : index.partition, index.sort),
        Projection: { ProjectionType: index.projection },
      }));
  const [global, local] = [made("global"), made("local")];
  return {
    TableName: name,
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    KeySchema,
    BillingMode: "PAY_PER_REQUEST",
    ...(global.length > 0 ? { GlobalSecondaryIndexes: global } : {}),
    ...(local.length > 0 ? { LocalSecondaryIndexes: local } : {}),
  };
}
