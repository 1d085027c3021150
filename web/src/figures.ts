/** How figures and counted nouns are written. Formatting only: nothing here changes a figure. */

const GROUPED = new Intl.NumberFormat("en-US");

/** `25,184` */
export function grouped(figure: number): string {
  return GROUPED.format(figure);
}

/** `25,184 B` */
export function bytes(figure: number): string {
  return `${grouped(figure)} B`;
}

/** `1 item`, `4 items` */
export function counted(figure: number, noun: string): string {
  return `${grouped(figure)} ${noun}${figure === 1 ? "" : "s"}`;
}

/** Units are exact halves: `0.5`, `2.0`. */
export function units(figure: number): string {
  return figure.toFixed(1);
}
