/** Mounts the studio over what Rust rendered, from the page's data. */
import { mount } from "svelte";
import type { PageData } from "../contract";
import { RequestForm } from "../console/form.svelte";
import { EngineClient } from "../engine/client";
import { COPIES_CHANNEL } from "../engine/copies";
import EngineSign from "./EngineSign.svelte";
import Keys from "./Keys.svelte";
import { Session } from "./session.svelte";
import Studio from "./Studio.svelte";

/** Starts the engine in its worker and puts the living studio in the place of the rendered one. */
export function mountStudio(target: HTMLElement, data: string): void {
  const page = JSON.parse(data) as PageData;
  const engine = (): EngineClient =>
    new EngineClient(() => new Worker(new URL("../engine/worker.ts", import.meta.url), { type: "module" }));
  const shared = {
    // Locks are absent where the page is not a secure context.
    locks: "locks" in navigator ? navigator.locks : undefined,
    channel: "BroadcastChannel" in window ? new BroadcastChannel(COPIES_CHANNEL) : undefined,
  };
  const client = engine();
  // Without prices a receipt has none, and says so.
  client.prices(JSON.stringify(page.prices)).catch(() => {});
  const session = new Session(page, client, shared, engine);
  const operations = (target.dataset["operations"] ?? "").split(" ").filter((name) => name !== "");
  const form = new RequestForm(page, operations);
  target.replaceChildren();
  mount(Studio, { target, props: { session, form: form } });
  const sign = document.querySelector("#engine-sign");
  if (sign !== null) mount(EngineSign, { target: sign, props: { session } });
  mount(Keys, {
    target: document.body,
    props: { button: document.querySelector<HTMLElement>("#keys") },
  });
  void session.start();
}
