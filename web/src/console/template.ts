/** A pattern's template becomes a request: `<name>` in its strings gives way to the parameter's value. */
import type { Parameter } from "../contract";

/** The parameters' values by name. */
export type Values = Readonly<Record<string, string>>;

/** The values a pattern starts with. */
export function examplesOf(parameters: readonly Parameter[]): Record<string, string> {
  return Object.fromEntries(parameters.map(({ name, example }) => [name, example]));
}

/** The request's body with every parameter in its place. A value is put in as it is: what it may not be, the
 *  engine says. */
export function filled(template: unknown, values: Values): unknown {
  if (typeof template === "string")
    return template.replace(/<([A-Za-z0-9_.-]+)>/g, (whole, name: string) => values[name] ?? whole);
  if (Array.isArray(template)) return template.map((element) => filled(element, values));
  if (typeof template === "object" && template !== null)
    return Object.fromEntries(
      Object.entries(template).map(([name, member]) => [name, filled(member, values)]),
    );
  return template;
}

/** A body as it stands in the editor. */
export function written(body: unknown): string {
  return JSON.stringify(body, null, 2);
}
