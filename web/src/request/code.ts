/** A request written as code, to be taken elsewhere: an AWS CLI command, Python with boto3, JavaScript. */
import type { Request } from "../studio/ledger.svelte";
import { kebab } from "./cli";
import { inputOf, within } from "./shapes";

/** The languages that a request can be written in. */
export const LANGUAGES = [
  { id: "cli", label: "AWS CLI" },
  { id: "python", label: "Python" },
  { id: "javascript", label: "JavaScript" },
] as const;

/** One of them. */
export type Language = (typeof LANGUAGES)[number]["id"];

/** The request in a language; nothing where its body is no JSON object. */
export function codeOf(language: Language, { operation, body }: Request): string | null {
  let members: unknown;
  try {
    members = JSON.parse(body);
  } catch {
    return null;
  }
  if (typeof members !== "object" || members === null || Array.isArray(members)) return null;
  switch (language) {
    case "cli":
      return command(operation, members as Record<string, unknown>);
    case "python":
      return python(operation, members);
    case "javascript":
      return javascript(operation, members);
  }
}

function command(operation: string, members: Record<string, unknown>): string {
  const input = inputOf(operation);
  const options = Object.entries(members).map(([name, value]) => {
    const option = `--${kebab(name)}`;
    const shape = within(input, name);
    if (shape?.kind === "scalar" && shape.type === "boolean")
      return value === false ? option.replace(/^--/, "--no-") : option;
    return `${option} ${quoted(typeof value === "object" ? JSON.stringify(value) : String(value))}`;
  });
  const service = operation.endsWith("Streams") || /Shard|DescribeStream|GetRecords/.test(operation);
  return [`aws ${service ? "dynamodbstreams" : "dynamodb"} ${kebab(operation)}`, ...options].join(" \\\n  ");
}

function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

function python(operation: string, members: object): string {
  const call = kebab(operation).replaceAll("-", "_");
  const options = Object.entries(members).map(([name, value]) => `    ${name}=${pythonOf(value, 1)},\n`);
  return `import boto3\n\nclient = boto3.client("dynamodb")\nanswer = client.${call}(\n${options.join("")})\n`;
}

function pythonOf(value: unknown, depth: number): string {
  const pad = "    ".repeat(depth);
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const inside = Object.entries(value).map(([name, member]) => {
    const label = Array.isArray(value) ? "" : `${JSON.stringify(name)}: `;
    return `${label}${pythonOf(member, depth + 1)}`;
  });
  const line = `${open}${inside.join(", ")}${close}`;
  if (line.length + 4 * depth <= 80 && !line.includes("\n")) return line;
  return `${open}\n${inside.map((member) => `${pad}    ${member},\n`).join("")}${pad}${close}`;
}

function javascript(operation: string, members: object): string {
  const body = JSON.stringify(members, null, 2).replace(/"([A-Za-z_$][\w$]*)":/g, "$1:");
  return [
    `import { DynamoDBClient, ${operation}Command } from "@aws-sdk/client-dynamodb";`,
    "",
    "const client = new DynamoDBClient({});",
    `const answer = await client.send(new ${operation}Command(${body}));`,
    "",
  ].join("\n");
}
