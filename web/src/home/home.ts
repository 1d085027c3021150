/** The request that runs right on the home page. Rust renders it with the answer that it will have; the scripts let
 *  the reader ask, and draw plan and receipt of what was asked. */
import { mount } from "svelte";
import { RequestForm } from "../console/form.svelte";
import type { StageData } from "../contract";
import { grouped } from "../figures";
import Plan from "../plan/Plan.svelte";
import { totalText } from "../receipt/lines";
import type { Session } from "../studio/session.svelte";
import Slip from "./Slip.svelte";

/** Brings the request to life. */
export function mountHome(target: HTMLElement, page: StageData, session: Session): void {
  const form = new RequestForm(page, []);
  const ways = [...target.querySelectorAll<HTMLButtonElement>('[aria-label="How to ask"] button')];
  const run = target.querySelector<HTMLButtonElement>(".btn.go");
  const text = target.querySelector("pre.request");
  const outcomes = [...target.querySelectorAll(".ways tbody tr")];
  let started: Promise<void> | null = null;

  const choose = (place: number): void => {
    const pattern = form.patterns[place];
    if (pattern === undefined) return;
    form.pick(pattern);
    ways.forEach((way, at) => way.setAttribute("aria-pressed", String(at === place)));
    if (text !== null) text.textContent = form.request.body;
  };

  /** The engine starts with the first question, so that who only reads fetches none. */
  const ask = async (): Promise<void> => {
    started ??= session.start();
    await started;
    const { pattern } = form;
    const entry = await session.run(form.request, pattern?.id ?? null);
    if (entry === null) return;
    draw();
    const cells = outcomes[form.patterns.findIndex((each) => each === pattern)]?.querySelectorAll("td");
    const accesses = entry.trace?.accesses ?? [];
    const [examined, returned] = (["examined", "returned"] as const).map((figure) =>
      accesses.reduce((sum, access) => sum + access[figure].items, 0),
    );
    if (cells?.[0] !== undefined)
      cells[0].textContent = `${grouped(examined ?? 0)} read, ${grouped(returned ?? 0)} returned`;
    if (cells?.[1] !== undefined && entry.trace !== null) cells[1].textContent = totalText(entry.trace);
  };

  let drawn = false;
  const draw = (): void => {
    const [plan, receipt] = [target.querySelector("#plan"), target.querySelector("#receipt")];
    if (drawn || plan === null || receipt === null) return;
    drawn = true;
    plan.replaceChildren();
    receipt.replaceChildren();
    mount(Plan, { target: plan, props: { session } });
    mount(Slip, { target: receipt, props: { session } });
  };

  ways.forEach((way, place) => {
    way.disabled = false;
    way.addEventListener("click", () => choose(place));
  });
  if (run !== null) {
    run.disabled = false;
    run.addEventListener("click", () => void ask());
  }
  window.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "Enter") return;
    if (document.querySelector("dialog[open]") !== null) return;
    event.preventDefault();
    void ask();
  });
}
