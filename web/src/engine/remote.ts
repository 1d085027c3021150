/** An endpoint over HTTP, such as `keyplan serve` on this machine. Requests are signed as far as local endpoints ask
 *  for it: a signature is there, and no secret is. */
import type { Trace } from "../contract";
import type { Reply } from "./client";
import type { Connection } from "./connection";
import { TARGET_PREFIX } from "./protocol";

/** Where `keyplan serve` listens unless told otherwise. */
export const LOCAL_SERVER = "http://localhost:8000";

/** The header that asks Keyplan's own endpoint for a trace, and that answers it. */
const TRACE_HEADER = "x-keyplan-trace";

/** Nothing answered at an address. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  constructor(address: string) {
    super(`No answer from ${address}.`);
  }
}

/** Whether a page may ask an address at all; if not, why. */
export function refusalOf(address: string): string | null {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return "An address is like http://localhost:8000.";
  }
  const local = url.protocol === "http:" && ["localhost", "127.0.0.1"].includes(url.hostname);
  return local
    ? null
    : "A page may only ask endpoints on this machine: http://localhost or http://127.0.0.1, with a port.";
}

/** An endpoint at an address. What it is not asked for, it does not say: capacity is asked for where it can be. */
export function toEndpoint(address: string): Connection {
  return {
    async dispatch(operation, body) {
      const now = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
      let response: Response;
      try {
        response = await fetch(address, {
          method: "POST",
          headers: {
            "content-type": "application/x-amz-json-1.0",
            "x-amz-target": TARGET_PREFIX + operation,
            "x-amz-date": now,
            authorization:
              `AWS4-HMAC-SHA256 Credential=keyplan/${now.slice(0, 8)}/us-east-1/dynamodb/aws4_request, ` +
              "SignedHeaders=host;x-amz-date;x-amz-target, Signature=none",
            [TRACE_HEADER]: "1",
          },
          body,
        });
      } catch {
        throw new NoAnswer(address);
      }
      return {
        status: response.status,
        text: await response.text(),
        trace: await traceOf(address, response.headers.get(TRACE_HEADER)),
      } satisfies Reply;
    },
  };
}

/** A short trace stands in the header, a long one is fetched by its token. Other endpoints give none. */
async function traceOf(address: string, header: string | null): Promise<Trace | null> {
  if (header === null) return null;
  const [, token] = /^token (\S+)$/.exec(header) ?? [];
  try {
    if (token === undefined) return JSON.parse(header) as Trace;
    const kept = await fetch(new URL(`/keyplan/trace/${token}`, address));
    return kept.ok ? ((await kept.json()) as Trace) : null;
  } catch {
    return null;
  }
}
