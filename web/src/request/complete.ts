/** What can stand at a place of a request's body: members of its shape, tables, indexes, attributes, functions. */
import { EXPRESSION_MEMBERS, FUNCTIONS } from "./expressions";
import { inputOf, isReserved, within, type Shape } from "./shapes";
import { keyAttributesOf, keyOf, type TableShape } from "./table-shape";

/** Where in the JSON the cursor stands, as the editor's syntax tree has it. */
export interface Place {
  /** Names of the objects' members that lead here; `""` for an element of a list. */
  readonly path: readonly string[];
  /** Whether a member's name or a value is being written. */
  readonly writes: "name" | "value";
  /** Names that the object has already. */
  readonly there: readonly string[];
}

/** What else the completion knows. */
export interface Surroundings {
  readonly operation: string;
  readonly table: string | undefined;
  readonly index: string | undefined;
  readonly tables: readonly TableShape[];
  /** Names of attributes seen in the table's items, with a type of each. */
  readonly attributes: readonly { readonly name: string; readonly type: string }[];
  readonly placeholders: readonly string[];
}

/** One completion: what is written, what it is, and a word about it. */
export interface Candidate {
  readonly label: string;
  readonly detail: string;
  readonly about?: string;
}

/** What can stand at a place. */
export function candidatesAt(place: Place, around: Surroundings): Candidate[] {
  const { path, writes, there } = place;
  const shape = path.reduce<Shape | null>(within, inputOf(around.operation));
  const last = path.at(-1) ?? "";
  if (writes === "name") {
    if (shape?.kind === "structure") return memberCandidates(shape, there);
    if (last === "ExpressionAttributeValues" || last === "ExpressionAttributeNames") {
      const sign = last === "ExpressionAttributeNames" ? "#" : ":";
      return around.placeholders
        .filter((name) => name.startsWith(sign) && !there.includes(name))
        .map((name) => ({ label: name, detail: "used in an expression" }));
    }
    if (last === "RequestItems") return tableCandidates(around.tables);
    if (shape?.kind === "map")
      return attributeCandidates(around).filter(({ label }) => !there.includes(label));
    return [];
  }
  if (shape?.kind === "scalar" && shape.words.length > 0)
    return shape.words.map((word) => ({ label: word, detail: "" }));
  if (last === "TableName") return tableCandidates(around.tables);
  if (last === "IndexName") return indexCandidates(around);
  if (EXPRESSION_MEMBERS.has(last)) return expressionCandidates(last, around);
  if (last === "AttributeName" || path.at(-2) === "ExpressionAttributeNames")
    return attributeCandidates(around);
  return [];
}

function memberCandidates(shape: Shape & { kind: "structure" }, there: readonly string[]): Candidate[] {
  return [...shape.members.keys()]
    .filter((name) => !there.includes(name))
    .map((name) => ({ label: name, detail: detailOf(within(shape, name), shape.required.includes(name)) }));
}

function detailOf(shape: Shape | null, required: boolean): string {
  const type = shape?.kind === "scalar" ? shape.type : (shape?.kind ?? "");
  return required ? `${type}, required` : type;
}

function tableCandidates(tables: readonly TableShape[]): Candidate[] {
  return tables.map((table) => ({
    label: table.name,
    detail: keyAttributesOf(table)
      .map(({ name }) => name)
      .join(", "),
  }));
}

function indexCandidates({ tables, table }: Surroundings): Candidate[] {
  const here = tables.find(({ name }) => name === table);
  return (here?.indexes ?? []).map((index) => ({
    label: index.name,
    detail: keyAttributesOf(index)
      .map(({ name }) => name)
      .join(", "),
  }));
}

function attributeCandidates({ attributes, tables, table, index }: Surroundings): Candidate[] {
  const here = tables.find(({ name }) => name === table);
  const key = here === undefined ? undefined : keyOf(here, index);
  const role = (name: string): string => {
    if (key?.partition.some((each) => each.name === name)) return "partition key ";
    return key?.sort.some((each) => each.name === name) ? "sort key " : "";
  };
  return attributes.map(({ name, type }) => ({
    label: name,
    detail: `${role(name)}${type}`,
    ...(isReserved(name)
      ? { about: "A reserved word: an expression writes it as a name that begins with #." }
      : {}),
  }));
}

/** In a key condition only key attributes and the operators on a sort key; elsewhere names, functions, placeholders. */
function expressionCandidates(member: string, around: Surroundings): Candidate[] {
  const placeholders = around.placeholders.map((name) => ({ label: name, detail: "placeholder" }));
  const here = around.tables.find(({ name }) => name === around.table);
  if (member !== "KeyConditionExpression" || here === undefined)
    return [
      ...attributeCandidates(around),
      ...FUNCTIONS.map(({ text, about }) => ({ label: text, detail: "function", about })),
      ...placeholders,
    ];
  const { partition, sort } = keyOf(here, around.index);
  const about = "A condition on it narrows the read before anything is charged.";
  return [
    ...partition.map(({ name, type }) => ({
      label: name,
      detail: `partition key ${type}`,
      about: "A Query needs the partition key, by equality.",
    })),
    ...sort.flatMap(({ name, type }) => [
      { label: name, detail: `sort key ${type}`, about },
      { label: `${name} >= :`, detail: "from here on", about },
      { label: `${name} BETWEEN : AND :`, detail: "a stretch", about },
      ...(type === "N" ? [] : [{ label: `begins_with(${name}, :)`, detail: "prefix", about }]),
    ]),
    ...placeholders,
  ];
}
