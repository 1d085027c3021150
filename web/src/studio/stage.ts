/** What every living page stands on: the engine in its worker, a session on it, and the parts of the page's frame. */
import { mount } from "svelte";
import type { StageData } from "../contract";
import { EngineClient } from "../engine/client";
import { COPIES_CHANNEL } from "../engine/copies";
import EngineSign from "./EngineSign.svelte";
import Keys from "./Keys.svelte";
import { Session } from "./session.svelte";
import type { Shortcut } from "./shortcuts";

/** A page's session and the engine under it. */
export interface Stage {
  readonly session: Session;
  readonly client: EngineClient;
}

/** Starts the engine's worker and makes a session on it, which is still to be started. */
export function stageOf(page: StageData): Stage {
  const engine = (): EngineClient =>
    new EngineClient(() => new Worker(new URL("../engine/worker.ts", import.meta.url), { type: "module" }));
  const shared = {
    // Locks are absent where the page is not a secure context.
    locks: "locks" in navigator ? navigator.locks : undefined,
    channel: "BroadcastChannel" in window ? new BroadcastChannel(COPIES_CHANNEL) : undefined,
  };
  const client = engine();
  return { session: new Session(page, client, shared, engine), client };
}

/** The operations that the engine under a page has. */
export function operationsOf(target: HTMLElement): string[] {
  return (target.dataset["operations"] ?? "").split(" ").filter((name) => name !== "");
}

/** Brings the head of a page to life: the sign of the engine, and the list of keys, `more` of them first. */
export function mountFrame(session: Session, more: readonly Shortcut[] = []): void {
  const sign = document.querySelector("#engine-sign");
  if (sign !== null) mount(EngineSign, { target: sign, props: { session } });
  mount(Keys, {
    target: document.body,
    props: { button: document.querySelector<HTMLElement>("#keys"), more },
  });
}
