/** Mounts the studio over what Rust rendered, from the page's data. */
import { mount } from "svelte";
import type { StageData } from "../contract";
import { RequestForm } from "../console/form.svelte";
import { mountFrame, operationsOf, stageOf } from "./stage";
import Studio from "./Studio.svelte";

/** Starts the engine in its worker and puts the living studio in the place of the rendered one. */
export function mountStudio(target: HTMLElement, data: string): void {
  const page = JSON.parse(data) as StageData;
  const { session } = stageOf(page);
  const form = new RequestForm(page, operationsOf(target));
  target.replaceChildren();
  mount(Studio, { target, props: { session, form } });
  mountFrame(session);
  void session.start();
}
