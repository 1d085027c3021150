/** "Copy into my database": the design's tables and items, sent there as requests like any other. */
import type { StageData, SetupRequest } from "../contract";
import type { EngineClient, Reply } from "../engine/client";
import { MY_DATABASE } from "../engine/database";
import { TARGET_PREFIX } from "../engine/protocol";
import { messageOf, objectOf } from "./ledger.svelte";

/** What a copy came to. */
export type Copied =
  | { readonly outcome: "copied"; readonly tables: readonly string[]; readonly items: number }
  | { readonly outcome: "there already"; readonly tables: readonly string[] }
  | { readonly outcome: "refused"; readonly reason: string };

/** Copies the design. Tables of the same name are replaced only when asked for. */
export async function copyDesign(client: EngineClient, page: StageData, replace: boolean): Promise<Copied> {
  const there: string[] = [];
  for (const table of page.tables) {
    const reply = await send(client, "DescribeTable", { TableName: table });
    if (reply.status === 200) there.push(table);
  }
  if (there.length > 0 && !replace) return { outcome: "there already", tables: there };
  for (const table of there) {
    const reply = await send(client, "DeleteTable", { TableName: table });
    if (reply.status !== 200) return refused(reply);
  }
  for (const request of page.setup) {
    const reply = await send(client, operationOf(request), request.body);
    if (reply.status !== 200) return refused(reply);
  }
  const items = page.setup.filter((request) => operationOf(request) === "PutItem").length;
  return { outcome: "copied", tables: page.tables, items };
}

function send(client: EngineClient, operation: string, body: unknown): Promise<Reply> {
  return client.dispatch(MY_DATABASE, operation, JSON.stringify(body));
}

function operationOf({ target }: SetupRequest): string {
  return target.slice(TARGET_PREFIX.length);
}

function refused(reply: Reply): Copied {
  return { outcome: "refused", reason: messageOf(objectOf(reply.text)) ?? reply.text };
}
