/** An AWS CLI command becomes a request: `aws dynamodb query --table-name Shop …`. Which options an operation has, and
 *  what type each is, the service's own shapes say. */
import type { Request } from "../studio/ledger.svelte";
import { CommandFault, wordsOf } from "./shell";
import { shorthandOf, type Shorthand } from "./shorthand";
import { inputOf, OPERATIONS, within, type Shape } from "./shapes";

/** A command read: the request, and what of the command has no meaning here. */
export interface ReadCommand {
  readonly request: Request;
  readonly leftOut: readonly string[];
}

/** Options of the CLI itself that take a value, and those that take none. None of them is a part of the request. */
const OWN_WITH_VALUE: ReadonlySet<string> = new Set(
  (
    "--region --profile --output --query --endpoint-url --color --ca-bundle --cli-read-timeout " +
    "--cli-connect-timeout --cli-binary-format --max-items --page-size --starting-token --generate-cli-skeleton"
  ).split(" "),
);
const OWN_ALONE: ReadonlySet<string> = new Set(
  (
    "--debug --no-paginate --no-verify-ssl --no-sign-request --no-cli-pager --cli-auto-prompt " +
    "--no-cli-auto-prompt --no-cli-endpoint-discovery"
  ).split(" "),
);

/** Whether a text begins as a command of the CLI. */
export function isCommand(text: string): boolean {
  return /^\s*(?:\$\s+)?(?:\S*\/)?(?:aws|awslocal)(?:\s|\\\r?\n)/.test(text);
}

/** Reads a command.
 *  @throws CommandFault when it is none, or says what this page can't know. */
export function readCommand(text: string): ReadCommand {
  const words = wordsOf(text.replace(/^\s*\$\s+/, ""));
  const leftOut: string[] = [];
  let at = 1;
  /** The next word that is no option of the CLI itself. */
  const command = (): string | undefined => {
    while (OWN_ALONE.has(optionOf(words[at])) || OWN_WITH_VALUE.has(optionOf(words[at])))
      at = passOwn(words, at, leftOut);
    return words[at++];
  };
  if (!/(?:^|\/)(?:aws|awslocal)$/.test(words[0] ?? ""))
    throw new CommandFault("A command begins with aws dynamodb, then the operation.");
  const service = command();
  if (service !== "dynamodb" && service !== "dynamodbstreams")
    throw new CommandFault(`aws ${service ?? ""} is no command for DynamoDB: aws dynamodb is.`);
  const verb = command() ?? "";
  const operation = OPERATIONS.find((name) => kebab(name) === verb);
  if (operation === undefined)
    throw new CommandFault(verb === "" ? "No operation is named." : `DynamoDB has no operation ${verb}.`);
  const body = bodyOf(operation, words, at, leftOut);
  return { request: { operation, body: JSON.stringify(body, null, 2) }, leftOut };
}

function bodyOf(
  operation: string,
  words: readonly string[],
  start: number,
  leftOut: string[],
): Record<string, unknown> {
  const input = inputOf(operation);
  const members = input?.kind === "structure" ? [...input.members.keys()] : [];
  const options = new Map(members.map((name) => [`--${kebab(name)}`, name]));
  let body: Record<string, unknown> = {};
  let at = start;
  while (at < words.length) {
    const option = optionOf(words[at]);
    if (!option.startsWith("--")) throw new CommandFault(`${option} stands where an option is expected.`);
    const name = options.get(option);
    const negated = name === undefined ? options.get(option.replace(/^--no-/, "--")) : undefined;
    if (name === undefined && negated === undefined && option !== "--cli-input-json") {
      if (!OWN_ALONE.has(option) && !OWN_WITH_VALUE.has(option))
        throw new CommandFault(`${kebab(operation)} has no option ${option}.`);
      at = passOwn(words, at, leftOut);
      continue;
    }
    const [, attached] = /^[^=]+=([\s\S]*)$/.exec(words[at] ?? "") ?? [];
    at += 1;
    const values = attached === undefined ? [] : [attached];
    while (attached === undefined && at < words.length && !/^--[a-z]/.test(words[at] ?? ""))
      values.push(words[at++] ?? "");
    if (option === "--cli-input-json") {
      // What the command says itself has precedence over its JSON.
      body = { ...(jsonOf(option, values.join(" ")) as Record<string, unknown>), ...body };
    } else if (name !== undefined) body[name] = valueOf(option, within(input, name), values);
    else if (negated !== undefined) body[negated] = false;
  }
  return body;
}

/** Passes one of the CLI's own options, and says where the next word is. */
function passOwn(words: readonly string[], at: number, leftOut: string[]): number {
  const word = words[at] ?? "";
  const option = optionOf(word);
  leftOut.push(option);
  return at + (OWN_WITH_VALUE.has(option) && !word.includes("=") ? 2 : 1);
}

function optionOf(word: string | undefined): string {
  return /^--[a-z][a-z0-9-]*/.exec(word ?? "")?.[0] ?? word ?? "";
}

/** An option's value, by the shape of the member that it fills. */
function valueOf(option: string, shape: Shape | null, values: readonly string[]): unknown {
  const file = values.find((value) => /^fileb?:\/\//.test(value));
  if (file !== undefined)
    throw new CommandFault(
      `${option} names a file, ${file}, which a page can't read. Write its content instead.`,
    );
  const [first] = values;
  if (first === undefined) {
    if (shape?.kind === "scalar" && shape.type === "boolean") return true;
    throw new CommandFault(`${option} has no value.`);
  }
  if (shape?.kind === "scalar") {
    if (values.length > 1)
      throw new CommandFault(`${option} has ${values.length} values: put what belongs together in quotes.`);
    return scalarOf(option, shape.type, first);
  }
  if (/^\s*[[{]/.test(first) && values.length === 1) {
    const json = jsonOf(option, first);
    return shape?.kind === "list" && !Array.isArray(json) ? [json] : json;
  }
  if (shape?.kind === "list") {
    const element = within(shape, "");
    if (element?.kind === "scalar") return values.map((value) => scalarOf(option, element.type, value));
    return values.map((value) =>
      /^\s*\{/.test(value) ? jsonOf(option, value) : typed(option, element, shorthandOf(value)),
    );
  }
  return typed(option, shape, shorthandOf(values.join(" ")));
}

/** Shorthand with the types of its shape. */
function typed(option: string, shape: Shape | null, value: Shorthand): unknown {
  if (shape?.kind === "list") {
    const elements = Array.isArray(value) ? (value as readonly Shorthand[]) : [value];
    return elements.map((element) => typed(option, within(shape, ""), element));
  }
  if (typeof value === "string") {
    if (shape?.kind === "scalar") return scalarOf(option, shape.type, value);
    throw new CommandFault(`${option}: ${value} stands where name=value is expected.`);
  }
  if (Array.isArray(value)) throw new CommandFault(`${option}: a list stands where one value is expected.`);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (shape?.kind === "structure" && !shape.members.has(name))
        throw new CommandFault(`${option} has no member ${name}.`);
      return [name, typed(option, within(shape, name), member)];
    }),
  );
}

function scalarOf(option: string, type: string, value: string): unknown {
  switch (type) {
    case "integer":
    case "long":
    case "double":
    case "timestamp": {
      const number = Number(value);
      if (value.trim() === "" || Number.isNaN(number))
        throw new CommandFault(`${option}: ${value} is no number.`);
      return number;
    }
    case "boolean":
      if (!/^(?:true|false)$/i.test(value))
        throw new CommandFault(`${option}: ${value} is neither true nor false.`);
      return value.toLowerCase() === "true";
    default:
      return value;
  }
}

function jsonOf(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFault(
      `${option} is no JSON. A shell takes single quotes around it: '${text.slice(0, 24)}…'.`,
    );
  }
}

/** A name as the CLI writes it: `TableName` as table-name, `SSESpecification` as sse-specification. */
export function kebab(name: string): string {
  return name
    .replace(/(.)([A-Z][a-z]+)/g, "$1-$2")
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase();
}
