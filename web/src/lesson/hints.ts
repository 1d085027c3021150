/** The hints, which Rust rendered, one at a time: each comes with the one before it. */

/** The hints of a page. */
export class Hints {
  readonly #all: readonly HTMLDetailsElement[];
  readonly #changed: (opened: number) => void;
  #opened = 0;

  /** `opened` were opened at an earlier visit; `changed` is told how many are open now. */
  constructor(place: HTMLElement, opened: number, changed: (opened: number) => void) {
    this.#changed = changed;
    this.#all = [...place.querySelectorAll<HTMLDetailsElement>("details.hint")];
    this.show(opened);
    for (const [place, hint] of this.#all.entries())
      hint.addEventListener("toggle", () => {
        if (hint.open) this.#note(place);
      });
  }

  /** Opens as many, and offers the next. */
  show(opened: number): void {
    this.#opened = opened;
    for (const [place, hint] of this.#all.entries()) {
      hint.open = place < opened;
      hint.hidden = place > opened;
    }
  }

  /** Opens the next hint, and puts the focus on it. */
  next(): void {
    const closed = this.#all.findIndex((each) => !each.open);
    const place = closed === -1 ? this.#all.length - 1 : closed;
    const hint = this.#all[place];
    if (hint === undefined) return;
    hint.hidden = false;
    hint.open = true;
    // Its toggle event comes later, and a page that is left at once would not have kept it.
    this.#note(place);
    hint.querySelector("summary")?.focus();
  }

  /** Offers what follows an opened hint, and says how many are open. */
  #note(place: number): void {
    const next = this.#all[place + 1];
    if (next !== undefined) next.hidden = false;
    this.#opened = Math.max(this.#opened, place + 1);
    this.#changed(this.#opened);
  }
}
