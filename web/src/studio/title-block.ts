/** The title block at the head of a page, which Rust renders: its facts follow what requests change. */
import { bytes, grouped, units } from "../figures";
import type { Session } from "./session.svelte";

const NAMES = { tab: "This tab", mine: "My database", server: "Local server", other: "Another address" };

/** The facts as they are now, by their names in the block. */
export function factsNow(session: Session): Readonly<Record<string, string>> {
  const { view, ledger } = session;
  const held = view.shapes.map((shape) => shape.held);
  const known =
    held.length > 0 && held.length === view.tables.length && held.every((each) => each !== undefined);
  const sum = (figure: "items" | "bytes"): number =>
    held.reduce((all, each) => all + (each?.[figure] ?? 0), 0);
  const { read, write } = ledger.sum;
  return {
    Endpoint: NAMES[session.endpoint],
    Tables: view.tables.length === 0 ? "none" : view.tables.join(", "),
    Sent: ledger.entries.length === 1 ? "1 request" : `${grouped(ledger.entries.length)} requests`,
    Sum: `${units(read)} read, ${units(write)} write`,
    ...(known ? { Items: `${grouped(sum("items"))}, ${bytes(sum("bytes"))}` } : {}),
  };
}

/** Writes facts into the block: of a model's page only what its design's own tables hold. */
export function writeFacts(facts: Readonly<Record<string, string>>, only: readonly string[]): void {
  for (const fact of document.querySelectorAll(".block .facts > div")) {
    const [name, text] = [fact.querySelector("dt")?.textContent ?? "", fact.querySelector("dd")];
    const now = facts[name];
    if (now !== undefined && only.includes(name) && text !== null && text.textContent !== now)
      text.textContent = now;
  }
}

/** The number of the next request, where the block has it. */
export function writeNext(number: number): void {
  const next = document.querySelector(".block .no[data-next] b");
  if (next !== null) next.textContent = String(number);
}
