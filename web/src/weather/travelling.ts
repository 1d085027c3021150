/** What weather a reader takes along from page to page. A reload begins with a fine day, and so does another tab. */
import type { Settings } from "./settings";

const KEY = "keyplan.weather";

/** Keeps the settings for the next page of this tab. */
export function keepSettings(settings: Settings): void {
  try {
    if (Object.keys(settings).length === 0) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A browser may refuse to keep anything: then the next page has a fine day.
  }
}

/** The settings from the page before; none after a reload. */
export function takeSettings(): Settings | null {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  try {
    if (navigation?.type === "reload") sessionStorage.removeItem(KEY);
    const settings: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return typeof settings === "object" && !Array.isArray(settings) ? (settings as Settings | null) : null;
  } catch {
    return null;
  }
}
