/** Which lessons are done. It is kept in this browser and goes nowhere else. */
import { forget, keep, kept } from "../kept";

const KEY = "keyplan.course";

/** The slugs of lessons whose exercise passed, in the order in which that was. */
interface Progress {
  readonly done: readonly string[];
}

/** The lessons that are done. */
export function lessonsDone(): Set<string> {
  return new Set(kept(KEY, isProgress)?.done ?? []);
}

/** Notes that a lesson's exercise passed. */
export function markDone(lesson: string): void {
  // Read anew: another tab may have added one.
  keep(KEY, { done: [...lessonsDone().add(lesson)] } satisfies Progress);
}

/** Forgets what is done. */
export function forgetProgress(): void {
  forget(KEY);
}

function isProgress(value: unknown): value is Progress {
  const done = (value as Partial<Progress> | null)?.done;
  return Array.isArray(done) && done.every((slug) => typeof slug === "string");
}
