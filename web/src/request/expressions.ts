/** The expressions of a request as far as its checks need them: which placeholders they use, and which of their names
 *  are reserved. What an expression means, the engine says. */
import { isReserved } from "./shapes";

/** Members that hold an expression. */
export const EXPRESSION_MEMBERS: ReadonlySet<string> = new Set([
  "KeyConditionExpression",
  "FilterExpression",
  "ProjectionExpression",
  "ConditionExpression",
  "UpdateExpression",
]);

/** Functions and what they do, for completion. */
export const FUNCTIONS: readonly { readonly text: string; readonly about: string }[] = [
  { text: "attribute_exists(", about: "the attribute is there" },
  { text: "attribute_not_exists(", about: "the attribute is not there" },
  { text: "attribute_type(", about: "the attribute has a type" },
  { text: "begins_with(", about: "a prefix" },
  { text: "contains(", about: "a part, or an element" },
  { text: "size(", about: "length or number of elements" },
  { text: "if_not_exists(", about: "in SET: a value where there is none" },
  { text: "list_append(", about: "in SET: two lists joined" },
];

/** Words that an expression is made with; as a name each would be reserved. */
const SYNTAX: ReadonlySet<string> = new Set("AND OR NOT BETWEEN IN SET REMOVE ADD DELETE".split(" "));

const PLACEHOLDER = /[:#][A-Za-z0-9_]+/g;
const WORD = /(?<![\w:#.])[A-Za-z_]\w*/g;

/** The placeholders of an expression, such as `:p` and `#n`. */
export function placeholdersIn(expression: string): string[] {
  return expression.match(PLACEHOLDER) ?? [];
}

/** The names of an expression that are reserved words. */
export function reservedIn(expression: string): string[] {
  const words = [...expression.matchAll(WORD)]
    .filter(({ 0: word, index }) => !/^\s*\(/.test(expression.slice(index + word.length)))
    .map(([word]) => word);
  return [...new Set(words.filter((word) => !SYNTAX.has(word.toUpperCase()) && isReserved(word)))];
}
