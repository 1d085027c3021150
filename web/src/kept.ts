/** What a page keeps in the browser for the next visit. A browser may refuse to keep anything, in a private window
 *  say; then all of it lasts as long as the page. */

const lasting = new Map<string, string>();

/** What was kept under a key, if it is what `is` takes; a text from an older or a foreign page is as none. */
export function kept<Value>(key: string, is: (value: unknown) => value is Value): Value | null {
  const text = textOf(key);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return is(value) ? value : null;
  } catch {
    return null;
  }
}

/** Keeps a value under a key. */
export function keep(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  lasting.set(key, text);
  try {
    localStorage.setItem(key, text);
  } catch {
    // Refused, or full: it lasts as long as the page.
  }
}

/** Forgets what was kept under a key. */
export function forget(key: string): void {
  lasting.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // What can't be kept need not be forgotten.
  }
}

function textOf(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? lasting.get(key) ?? null;
  } catch {
    return lasting.get(key) ?? null;
  }
}
