/** The hints, which Rust rendered, one at a time: each comes with the one before it. */

/** The hints of a page. */
export class Hints {
  readonly #all: readonly HTMLDetailsElement[];
  #opened = 0;

  /** `opened` were opened at an earlier visit; `changed` is told how many are open now. */
  constructor(place: HTMLElement, opened: number, changed: (opened: number) => void) {
    this.#all = [...place.querySelectorAll<HTMLDetailsElement>("details.hint")];
    this.show(opened);
    for (const [place, hint] of this.#all.entries())
      hint.addEventListener("toggle", () => {
        if (!hint.open) return;
        const next = this.#all[place + 1];
        if (next !== undefined) next.hidden = false;
        this.#opened = Math.max(this.#opened, place + 1);
        changed(this.#opened);
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
    const hint = this.#all.find((each) => !each.open) ?? this.#all.at(-1);
    if (hint === undefined) return;
    hint.hidden = false;
    hint.open = true;
    hint.querySelector("summary")?.focus();
  }
}
