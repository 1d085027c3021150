/** What a service worker knows of the site: its files and their hashes, of one build. */

/** Written in front of the built worker by crates/site (offline.rs), so that every build is another worker. */
export interface Precache {
  readonly version: string;
  /** By path below the site's root: `course/index.html`; the value is an integrity, `sha256-...`. */
  readonly files: Readonly<Record<string, string>>;
}

/** The path in the list of an address below the root; nothing for one outside of it. */
export function pathOf(address: string, root: string): string | null {
  const { origin, pathname } = new URL(address);
  const base = new URL(root);
  if (origin !== base.origin || !pathname.startsWith(base.pathname)) return null;
  const path = decodeURIComponent(pathname.slice(base.pathname.length));
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

/** Whether a file's name tells its content, so that it never changes. */
export function isNamedByContent(path: string): boolean {
  return path.startsWith("assets/");
}

/** A site's caches are its own: an origin may hold several sites. */
export function cachePrefix(root: string): string {
  return `keyplan ${new URL(root).pathname} `;
}
