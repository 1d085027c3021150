/** On a phone the plan opens as a sheet over the text, and closes by the same tap. */

const PHONE = "(max-width: 860px)";

/** The plan as a sheet. */
export class PlanSheet {
  open = $state(false);
  #link: HTMLElement | null = null;

  /** Takes a tap on the link to the plan; where there is room, the link leads there. */
  toggle(event: MouseEvent & { currentTarget: HTMLElement }): void {
    if (!window.matchMedia(PHONE).matches) return;
    event.preventDefault();
    this.#link = event.currentTarget;
    this.#set(!this.open);
  }

  close(): void {
    this.#set(false);
  }

  /** Esc closes it, unless a dialog is open above it. */
  onkeydown(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.open && document.querySelector("dialog[open]") === null) this.close();
  }

  /** Where there is room again, the plan stands beside the text. */
  onresize(): void {
    if (!window.matchMedia(PHONE).matches) this.close();
  }

  #set(wanted: boolean): void {
    const sheet = document.getElementById("plan");
    if (sheet === null || this.open === wanted) return;
    this.open = wanted;
    sheet.classList.toggle("as-sheet", wanted);
    beside(sheet).forEach((each) => each.toggleAttribute("inert", wanted));
    if (wanted) sheet.focus({ preventScroll: true });
    else this.#link?.focus({ preventScroll: true });
  }
}

/** What lies under the sheet, which can't be reached while it is open: all but the bar and what holds the sheet. */
function beside(sheet: HTMLElement): Element[] {
  const all: Element[] = [];
  for (let here: Element | null = sheet; here !== null && here !== document.body; here = here.parentElement)
    for (const other of here.parentElement?.children ?? [])
      if (other !== here && !other.matches(".phonebar, dialog, script")) all.push(other);
  return all;
}
