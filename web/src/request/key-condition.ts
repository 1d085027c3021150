/** A key condition as fields: the partition key's values, and a comparison of the sort key; and back. */
import type { AttributeValue, KeyAttribute } from "../contract";
import { EXPRESSION_MEMBERS, placeholdersIn } from "./expressions";
import { isReserved } from "./shapes";
import type { IndexShape } from "./table-shape";

/** A request's body as an object. */
export type Body = Readonly<Record<string, unknown>>;

/** What a sort key can be compared by; `any` is no condition. */
export const OPERATORS = ["any", "=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"] as const;
export type Operator = (typeof OPERATORS)[number];

/** Both halves of a key condition. */
export interface KeyCondition {
  /** By the partition key's attributes. */
  readonly partition: readonly string[];
  /** Of an index with several sort attributes, those that stand by equality before the last. */
  readonly sort: readonly { readonly operator: Operator; readonly values: readonly string[] }[];
}

type Key = Pick<IndexShape, "partition" | "sort">;

/** The condition of a body; nothing where it is one that fields can't show. */
export function readKeyCondition(body: Body, key: Key): KeyCondition | null {
  const expression = body["KeyConditionExpression"];
  const names = (body["ExpressionAttributeNames"] ?? {}) as Record<string, string>;
  const values = (body["ExpressionAttributeValues"] ?? {}) as Record<string, AttributeValue>;
  const found = new Map<string, { operator: Operator; values: string[] }>();
  const text = typeof expression === "string" ? expression.trim() : "";
  for (const part of text === "" ? [] : partsOf(text)) {
    const read = partOf(part);
    if (read === null) return null;
    const name = names[read.name] ?? read.name;
    if (found.has(name)) return null;
    const contents = read.placeholders.map(
      (placeholder) => Object.values(values[placeholder] ?? {})[0] ?? "",
    );
    found.set(name, { operator: read.operator, values: contents.map(String) });
  }
  const all = [...key.partition, ...key.sort].map(({ name }) => name);
  if ([...found.keys()].some((name) => !all.includes(name))) return null;
  if (key.partition.some(({ name }) => ![undefined, "="].includes(found.get(name)?.operator))) return null;
  return {
    partition: key.partition.map(({ name }) => found.get(name)?.values[0] ?? ""),
    sort: key.sort.map(({ name }) => found.get(name) ?? { operator: "any", values: [] }),
  };
}

/** The body with a condition in the place of its own. */
export function writeKeyCondition(body: Body, key: Key, condition: KeyCondition): Body {
  const names: Record<string, string> = {};
  const values: Record<string, AttributeValue> = {};
  const parts: string[] = [];
  const add = ({ name, type }: KeyAttribute, operator: Operator, texts: readonly string[]): void => {
    if (operator === "any") return;
    const plainName = /^[A-Za-z_]\w*$/.test(name) && !isReserved(name);
    const stem = name.replace(/\W/g, "_");
    if (!plainName) names[`#${stem}`] = name;
    const placeholder = (suffix: string, text: string): string => {
      values[`:${stem}${suffix}`] = { [type]: text };
      return `:${stem}${suffix}`;
    };
    const left = plainName ? name : `#${stem}`;
    const [first = "", second = ""] = texts;
    if (operator === "BETWEEN")
      parts.push(`${left} BETWEEN ${placeholder("_from", first)} AND ${placeholder("_to", second)}`);
    else if (operator === "begins_with") parts.push(`begins_with(${left}, ${placeholder("", first)})`);
    else parts.push(`${left} ${operator} ${placeholder("", first)}`);
  };
  key.partition.forEach((attribute, place) => add(attribute, "=", [condition.partition[place] ?? ""]));
  key.sort.forEach((attribute, place) => {
    const { operator = "any", values: texts = [] } = condition.sort[place] ?? {};
    add(attribute, operator, texts);
  });
  const rest = withoutKeyPlaceholders(body);
  return withoutEmpty({
    ...rest,
    KeyConditionExpression: parts.join(" AND "),
    ExpressionAttributeNames: { ...names, ...(rest["ExpressionAttributeNames"] ?? {}) },
    ExpressionAttributeValues: { ...values, ...(rest["ExpressionAttributeValues"] ?? {}) },
  });
}

/** A body without the placeholders that its key condition alone uses. */
function withoutKeyPlaceholders(body: Body): Body {
  const own = new Set(placeholdersIn(String(body["KeyConditionExpression"] ?? "")));
  for (const member of EXPRESSION_MEMBERS)
    if (member !== "KeyConditionExpression")
      for (const used of placeholdersIn(String(body[member] ?? ""))) own.delete(used);
  const rest = (member: string): object =>
    Object.fromEntries(Object.entries((body[member] ?? {}) as object).filter(([name]) => !own.has(name)));
  return {
    ...body,
    ExpressionAttributeNames: rest("ExpressionAttributeNames"),
    ExpressionAttributeValues: rest("ExpressionAttributeValues"),
  };
}

/** A body without empty expressions and maps of placeholders. */
export function withoutEmpty(body: Body): Body {
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => {
      if (value === "" || value === undefined) return false;
      const placeholders = name === "ExpressionAttributeNames" || name === "ExpressionAttributeValues";
      return !(placeholders && Object.keys(value as object).length === 0);
    }),
  );
}

/** The conditions that AND joins; the AND of a BETWEEN joins nothing. */
function partsOf(expression: string): string[] {
  const parts: string[] = [];
  for (const part of expression.split(/\s+AND\s+/i)) {
    const before = parts.at(-1);
    if (before !== undefined && /\sBETWEEN\s+\S+$/i.test(before))
      parts[parts.length - 1] = `${before} AND ${part}`;
    else parts.push(part);
  }
  return parts;
}

function partOf(part: string): { name: string; operator: Operator; placeholders: string[] } | null {
  const prefix = /^begins_with\s*\(\s*(#?[\w]+)\s*,\s*(:\w+)\s*\)$/i.exec(part);
  if (prefix !== null)
    return { name: prefix[1] ?? "", operator: "begins_with", placeholders: [prefix[2] ?? ""] };
  const between = /^(#?\w+)\s+BETWEEN\s+(:\w+)\s+AND\s+(:\w+)$/i.exec(part);
  if (between !== null)
    return {
      name: between[1] ?? "",
      operator: "BETWEEN",
      placeholders: [between[2] ?? "", between[3] ?? ""],
    };
  const compared = /^(#?\w+)\s*(=|<=|>=|<|>)\s*(:\w+)$/.exec(part);
  if (compared === null) return null;
  return { name: compared[1] ?? "", operator: compared[2] as Operator, placeholders: [compared[3] ?? ""] };
}
