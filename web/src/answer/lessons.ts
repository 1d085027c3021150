/** Which lesson explains an error: by its type, its operation, and for validations by what the message is about. Only
 *  lessons that the page names are linked. */
import type { ServiceError } from "../studio/ledger.svelte";

interface Explained {
  readonly type: string;
  readonly operation?: RegExp;
  readonly message?: RegExp;
  readonly lesson: string;
}

const EXPLAINED: readonly Explained[] = [
  { type: "ConditionalCheckFailedException", operation: /^PutItem$/, lesson: "claim-once" },
  { type: "ConditionalCheckFailedException", lesson: "optimistic-locking" },
  {
    type: "ValidationException",
    message: /Query condition missed key|Query key condition/,
    lesson: "one-query-a-whole-collection",
  },
  {
    type: "ValidationException",
    message: /does not match the schema|number of conditions on the keys/,
    lesson: "the-primary-key",
  },
  { type: "ValidationException", message: /Missing the key|key element/, lesson: "the-primary-key" },
  { type: "ValidationException", message: /reserved keyword/, lesson: "update-item-edits" },
  { type: "ValidationException", message: /specified index/, lesson: "a-global-secondary-index" },
  { type: "ValidationException", message: /ExclusiveStartKey|starting key/, lesson: "pages" },
  {
    type: "ValidationException",
    message: /Filter Expression|non-primary key/,
    lesson: "a-filter-is-no-index",
  },
  { type: "ValidationException", message: /Type mismatch|type/, lesson: "items" },
];

/** Every lesson that is named. */
export const EXPLAINING: readonly string[] = [...new Set(EXPLAINED.map(({ lesson }) => lesson))];

/** The lesson's id; nothing where none is about it. */
export function lessonOf(operation: string, { type, message }: ServiceError): string | undefined {
  return EXPLAINED.find(
    (each) =>
      each.type === type &&
      (each.operation === undefined || each.operation.test(operation)) &&
      (each.message === undefined || each.message.test(message)),
  )?.lesson;
}
