/** Checks of a request as it is typed: what its shapes and its placeholders tell before it is sent. The engine has the
 *  last word, and its own. */
import { faultIn, faultText } from "../console/json-fault";
import { EXPRESSION_MEMBERS, placeholdersIn, reservedIn } from "./expressions";
import { memberOf, treeOf, type Member, type Node } from "./json-tree";
import { inputOf, within, type Shape } from "./shapes";
import type { TableShape } from "./table-shape";

/** Something to know about a place of the text. */
export interface Finding {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly weight: "error" | "warning";
  readonly text: string;
}

/** What of the request's surroundings the checks know. */
export interface Known {
  readonly tables: readonly TableShape[];
}

/** What is to be said about a request's body, in the order of its text. */
export function findingsIn(operation: string, text: string, plain: boolean, known: Known): Finding[] {
  const fault = faultIn(text);
  const lineOf = (at: number): number => text.slice(0, at).split("\n").length;
  if (fault !== null) {
    const start =
      text
        .split("\n")
        .slice(0, fault.line - 1)
        .join("\n").length + (fault.line > 1 ? 1 : 0);
    const end = text.indexOf("\n", start);
    const said = faultText(fault).replace(/^Line \d+: /, "");
    return [
      {
        from: start,
        to: end < 0 ? text.length : end,
        line: fault.line,
        weight: "error",
        text: said.charAt(0).toUpperCase() + said.slice(1),
      },
    ];
  }
  const tree = treeOf(text);
  if (tree === null) return [];
  const findings: Omit<Finding, "line">[] = [];
  new Checker(operation, plain, findings).check(inputOf(operation), tree, "");
  checkScopes(tree, findings);
  checkTable(tree, known, findings);
  return findings
    .map((finding) => ({ ...finding, line: lineOf(finding.from) }))
    .sort((left, right) => left.from - right.from);
}

/** What JSON a shape takes. */
const TAKES: Readonly<Record<string, Node["kind"]>> = {
  integer: "number",
  long: "number",
  double: "number",
  timestamp: "number",
  boolean: "literal",
  string: "string",
  blob: "string",
};
const NAMED: Readonly<Record<Node["kind"], string>> = {
  object: "an object",
  array: "a list",
  string: "text in quotes",
  number: "a number",
  literal: "true or false",
};

class Checker {
  readonly #operation: string;
  readonly #plain: boolean;
  readonly #findings: Omit<Finding, "line">[];

  constructor(operation: string, plain: boolean, findings: Omit<Finding, "line">[]) {
    this.#operation = operation;
    this.#plain = plain;
    this.#findings = findings;
  }

  check(shape: Shape | null, node: Node, name: string): void {
    if (shape === null) return;
    if (shape.kind === "structure" && shape.attribute) {
      if (!this.#plain) this.#typed(shape, node);
      return;
    }
    const takes =
      shape.kind === "list" ? "array" : shape.kind === "scalar" ? (TAKES[shape.type] ?? "string") : "object";
    if (node.kind !== takes) {
      this.#say(node, "error", `${name === "" ? "The body" : name} is ${NAMED[takes]}.`);
      return;
    }
    if (node.kind === "object" && shape.kind === "structure") this.#members(shape, node, name);
    else if (node.kind === "object")
      for (const member of node.members) this.check(within(shape, member.name), member.value, member.name);
    else if (node.kind === "array")
      for (const element of node.elements) this.check(within(shape, ""), element, name);
    else if (node.kind === "string" && shape.kind === "scalar" && shape.words.length > 0)
      if (!shape.words.includes(node.value))
        this.#say(node, "error", `${name} is one of ${shape.words.join(", ")}.`);
  }

  #members(shape: Shape & { kind: "structure" }, node: Node & { kind: "object" }, name: string): void {
    for (const member of node.members) {
      const of = within(shape, member.name);
      if (of !== null) this.check(of, member.value, member.name);
      else {
        const owner = name === "" ? this.#operation : name;
        this.#say(
          member,
          "warning",
          `${owner} has no member ${member.name}. The service would pass over it.`,
        );
      }
    }
    const there = new Set(node.members.map((member) => member.name));
    const missing = shape.required.filter((required) => !there.has(required));
    if (missing.length > 0)
      this.#say(
        { from: node.from, to: node.from + 1 },
        "error",
        `${name === "" ? this.#operation : name} needs ${missing.join(" and ")}.`,
      );
  }

  /** An attribute value has one member, named after its type. */
  #typed(shape: Shape & { kind: "structure" }, node: Node): void {
    const [only, ...more] = node.kind === "object" ? node.members : [];
    if (only === undefined || more.length > 0) {
      this.#say(node, "error", 'A typed value has one member, named after its type, such as { "S": "a" }.');
      return;
    }
    const of = within(shape, only.name);
    if (of === null)
      this.#say(only, "error", `${only.name} is no type: S, N, B, SS, NS, BS, M, L, NULL and BOOL are.`);
    else this.check(of, only.value, only.name);
  }

  #say({ from, to }: { from: number; to: number }, weight: Finding["weight"], text: string): void {
    this.#findings.push({ from, to, weight, text });
  }
}

/** Expressions and placeholders belong together where they stand in one object. */
function checkScopes(node: Node, findings: Omit<Finding, "line">[]): void {
  if (node.kind === "array") node.elements.forEach((element) => checkScopes(element, findings));
  if (node.kind !== "object") return;
  const expressions = node.members.filter(
    (member) => EXPRESSION_MEMBERS.has(member.name) && member.value.kind === "string",
  );
  const [names, values] = [
    memberOf(node, "ExpressionAttributeNames"),
    memberOf(node, "ExpressionAttributeValues"),
  ];
  if (expressions.length > 0 || names !== null || values !== null)
    checkPlaceholders(expressions, [names, values], findings);
  for (const { name, value } of node.members)
    if (!["Item", "Key", "ExpressionAttributeValues"].includes(name)) checkScopes(value, findings);
}

function checkPlaceholders(
  expressions: readonly Member[],
  [names, values]: readonly (Node | null)[],
  findings: Omit<Finding, "line">[],
): void {
  const membersOf = (node: Node | null | undefined): readonly Member[] =>
    node?.kind === "object" ? node.members : [];
  const defined = [...membersOf(names), ...membersOf(values)];
  const known = new Set(defined.map(({ name }) => name));
  const used = new Set<string>();
  for (const { name: member, value } of expressions) {
    if (value.kind !== "string") continue;
    const placeholders = placeholdersIn(value.value);
    placeholders.forEach((placeholder) => used.add(placeholder));
    for (const missing of new Set(placeholders.filter((placeholder) => !known.has(placeholder)))) {
      const home = missing.startsWith("#") ? "ExpressionAttributeNames" : "ExpressionAttributeValues";
      findings.push({
        from: value.from,
        to: value.to,
        weight: "error",
        text: `${member} uses ${missing}, and ${home} does not define it.`,
      });
    }
    for (const word of reservedIn(value.value))
      findings.push({
        from: value.from,
        to: value.to,
        weight: "warning",
        text: `${word} is a reserved word. Write #${word.toLowerCase()}, and define it in ExpressionAttributeNames.`,
      });
  }
  for (const { name, from, to } of defined)
    if (!used.has(name))
      findings.push({
        from,
        to,
        weight: "warning",
        text: `No expression uses ${name} yet. The service would refuse the request.`,
      });
}

/** A table or index that is not there. */
function checkTable(tree: Node, { tables }: Known, findings: Omit<Finding, "line">[]): void {
  const [name, index] = [memberOf(tree, "TableName"), memberOf(tree, "IndexName")];
  if (name?.kind !== "string" || index?.kind !== "string") return;
  const table = tables.find((each) => each.name === name.value);
  if (table === undefined || table.indexes.some((each) => each.name === index.value)) return;
  findings.push({
    from: index.from,
    to: index.to,
    weight: "warning",
    text: `${name.value} has no index ${index.value}.`,
  });
}
