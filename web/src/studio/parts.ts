/** The parts of a page, which keys lead to. */

/** Puts the focus on a part of the page. */
export function goTo(id: string): void {
  const part = document.getElementById(id) ?? document.getElementById("request");
  if (part === null) return;
  if (part.tabIndex < 0) part.tabIndex = -1;
  // A key with Alt does not count as one for :focus-visible everywhere.
  part.dataset["led"] = "";
  part.addEventListener("blur", () => delete part.dataset["led"], { once: true });
  part.focus({ preventScroll: true });
  part.scrollIntoView({ block: "start" });
}
