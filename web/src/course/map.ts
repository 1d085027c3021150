/** What is done, shown on pages that Rust rendered: on the course's map, and on the home page. A lesson's entry has
 *  its slug as `data-lesson`; the place of the sum has `data-progress`. */
import { grouped } from "../figures";
import { forgetProgress, lessonsDone } from "./progress";

/** Shows it, and again when another tab changes it or the reader comes back to this page. */
export function showProgress(): void {
  const entries = [...document.querySelectorAll<HTMLElement>("[data-lesson]")];
  const sums = [...document.querySelectorAll<HTMLElement>("[data-progress]")];
  if (entries.length === 0 && sums.length === 0) return;
  const show = (): void => {
    const done = lessonsDone();
    for (const entry of entries) mark(entry, done.has(entry.dataset["lesson"] ?? ""));
    for (const sum of sums) sumUp(sum, entries, done, show);
  };
  addEventListener("storage", show);
  addEventListener("pageshow", show);
  show();
}

function mark(entry: HTMLElement, done: boolean): void {
  entry.toggleAttribute("data-done", done);
  const before = entry.querySelector(".done-mark");
  if (done === (before !== null)) return;
  if (before !== null) {
    before.remove();
    return;
  }
  const word = document.createElement("span");
  word.className = "done-mark cap";
  word.textContent = "done";
  (entry.querySelector("h3") ?? entry).append(" ", word);
}

/** The sum in words, the way to the next lesson, and the way to begin anew. */
function sumUp(
  sum: HTMLElement,
  entries: readonly HTMLElement[],
  done: ReadonlySet<string>,
  show: () => void,
): void {
  sum.replaceChildren();
  sum.hidden = done.size === 0;
  if (done.size === 0) return;
  const of = Number(sum.dataset["of"] ?? entries.length);
  // A lesson that was done may be gone from the course.
  const here = entries.filter(({ dataset }) => done.has(dataset["lesson"] ?? "")).length;
  const count = entries.length === 0 ? Math.min(done.size, of) : here;
  const words = document.createElement("span");
  words.textContent = `${grouped(count)} of ${grouped(of)} lessons done in this browser.`;
  sum.append(words);
  const next = entries.find(({ dataset }) => !done.has(dataset["lesson"] ?? ""));
  const link = next?.querySelector("a");
  if (link != null) {
    const on = document.createElement("a");
    on.href = link.href;
    on.textContent = link.textContent?.trim() ?? "";
    words.append(" Go on with ", on, ".");
  }
  const clear = document.createElement("button");
  clear.type = "button";
  clear.className = "btn bare";
  clear.textContent = "Forget what is done";
  clear.addEventListener("click", () => {
    forgetProgress();
    show();
    // The button is gone; the focus stays near to where it was.
    const first = entries[0]?.querySelector("a") ?? document.querySelector("main");
    if (first instanceof HTMLElement) first.focus();
  });
  sum.append(" ", clear);
}
