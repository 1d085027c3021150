/** Which items a request wrote: a trace names only what was there before. */
import type { Item } from "../contract";
import type { JsonObject } from "./ledger.svelte";

/** An item that was written, or its key, and its table. */
export interface WrittenItem {
  readonly table: string;
  readonly item: Item;
}

/** The items that a request's body writes, where the request was carried out. */
export function writtenBy(operation: string, body: JsonObject | null): readonly WrittenItem[] {
  switch (operation) {
    case "PutItem":
    case "UpdateItem":
    case "DeleteItem":
      return one(body);
    case "BatchWriteItem":
      return Object.entries(objectIn(body, "RequestItems")).flatMap(([table, requests]) =>
        (Array.isArray(requests) ? (requests as readonly JsonObject[]) : []).flatMap((request) => {
          const item = objectIn(request, "PutRequest")["Item"];
          return isItem(item) ? [{ table, item }] : [];
        }),
      );
    case "TransactWriteItems": {
      const actions = body?.["TransactItems"];
      return (Array.isArray(actions) ? (actions as readonly JsonObject[]) : []).flatMap((action) => [
        ...one(objectIn(action, "Put")),
        ...one(objectIn(action, "Update")),
      ]);
    }
    default:
      return [];
  }
}

function one(request: JsonObject | null): readonly WrittenItem[] {
  const [item, table] = [request?.["Item"] ?? request?.["Key"], request?.["TableName"]];
  return isItem(item) && typeof table === "string" ? [{ table, item }] : [];
}

function objectIn(object: JsonObject | null, name: string): JsonObject {
  const member = object?.[name];
  return typeof member === "object" && member !== null ? (member as JsonObject) : {};
}

function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null;
}
