/** Whether this browser has used "my database" before. Nothing else is kept outside of it: what is in it, it says. */

const KEY = "keyplan.my-database";

/** Whether it was used; not, where the browser keeps nothing. */
export function wasUsed(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

/** Keeps that it was used. */
export function rememberUse(): void {
  try {
    localStorage.setItem(KEY, "used");
  } catch {
    // A browser that keeps nothing has no database to come back to either.
  }
}
