/** Where a console's requests go: a store of the tab's engine, or an endpoint over HTTP. */
import type { Inspection } from "../contract";
import type { EngineClient, Reply } from "./client";
import type { Undone } from "./protocol";

/** One place that answers requests. Only an engine in the tab can be looked into, and undone. */
export interface Connection {
  dispatch(operation: string, body: string): Promise<Reply>;
  inspect?(table: string, index: string | null): Promise<Inspection>;
  undo?(): Promise<Undone | null>;
}

/** A store of the tab's engine. */
export function toStore(client: EngineClient, store: string): Required<Connection> {
  return {
    dispatch: (operation, body) => client.dispatch(store, operation, body),
    inspect: (table, index) => client.inspect(store, table, index),
    undo: () => client.undo(store),
  };
}

/** The names of the tables there, as far as one answer lists them; nothing where the answer is a refusal. */
export async function tablesAt(connection: Connection): Promise<readonly string[] | null> {
  const { status, text } = await connection.dispatch("ListTables", "{}");
  if (status !== 200) return null;
  const { TableNames } = JSON.parse(text) as { TableNames?: readonly unknown[] };
  return (TableNames ?? []).map(String);
}
