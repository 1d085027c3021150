/** Mounts the studio over what Rust rendered, from the page's data. */
import { mount } from "svelte";
import type { StageData } from "../contract";
import { RequestForm } from "../console/form.svelte";
import { EngineClient } from "../engine/client";
import { COPIES_CHANNEL } from "../engine/copies";
import EngineSign from "./EngineSign.svelte";
import Keys from "./Keys.svelte";
import { Session } from "./session.svelte";
import type { Shortcut } from "./shortcuts";
import Studio from "./Studio.svelte";
import { takeSettings } from "../weather/travelling";

/** The session of a page: an engine in its worker, which begins when the session is started. */
export function sessionOf(page: StageData): Session {
  const engine = (): EngineClient =>
    new EngineClient(() => new Worker(new URL("../engine/worker.ts", import.meta.url), { type: "module" }));
  const shared = {
    // Locks are absent where the page is not a secure context.
    locks: "locks" in navigator ? navigator.locks : undefined,
    channel: "BroadcastChannel" in window ? new BroadcastChannel(COPIES_CHANNEL) : undefined,
  };
  return new Session(page, engine(), shared, engine);
}

/** The sign at the head of the page, and the list of keys, those that only this page has first. */
export function mountHead(session: Session, more: readonly Shortcut[] = []): void {
  const sign = document.querySelector("#engine-sign");
  if (sign !== null) mount(EngineSign, { target: sign, props: { session } });
  mount(Keys, {
    target: document.body,
    props: { button: document.querySelector<HTMLElement>("#keys"), more },
  });
}

/** The operations that the engine under a page has. */
export function operationsOf(target: HTMLElement): string[] {
  return (target.dataset["operations"] ?? "").split(" ").filter((name) => name !== "");
}

/** Starts the engine and puts the living studio in the place of the rendered one. */
export function mountStudio(target: HTMLElement, data: string): void {
  const page = JSON.parse(data) as StageData;
  const session = sessionOf(page);
  const form = new RequestForm(page, operationsOf(target));
  target.replaceChildren();
  mount(Studio, { target, props: { session, form } });
  mountHead(session);
  void session.start(takeSettings()).then(() => {
    // The console alone begins with what is kept, if no other tab has it.
    if (target.dataset["begin"] === "mine") void session.choose("mine");
  });
}
