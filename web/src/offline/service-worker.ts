/** The service worker: it keeps a whole build of the site and answers from it where no network does. A page comes from
 *  the network first, so that a new build shows at once; what a page refers to has its content in its name and comes
 *  from the cache, so a page never meets another build's scripts. */
import { cachePrefix, isNamedByContent, pathOf, type Precache } from "./files";

declare const self: ServiceWorkerGlobalScope & { readonly PRECACHE: Precache };

/** So long a page is waited for before the kept one is shown. */
const PATIENCE_MILLISECONDS = 4_000;

const { version, files } = self.PRECACHE;
const root = self.registration.scope;
const prefix = cachePrefix(root);
const name = prefix + version;

self.addEventListener("install", (event) => {
  event.waitUntil(install().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(forgetOlder().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const path = pathOf(request.url, root);
  if (path === null) return;
  event.respondWith(isNamedByContent(path) ? fromCache(path, request) : fromNetwork(path, request));
});

/** Fetches every file of this build, or none: a file of another build fails its integrity, and the browser tries
 *  again at a later visit. What an older build has already is not fetched again. */
async function install(): Promise<void> {
  const cache = await caches.open(name);
  const older = (await olderCaches()).at(-1);
  const before = older === undefined ? null : await caches.open(older);
  await Promise.all(
    Object.entries(files).map(async ([path, integrity]) => {
      const address = addressOf(path);
      const known = isNamedByContent(path) ? await before?.match(address) : undefined;
      const response = known ?? (await fetch(address, { integrity, cache: "no-cache" }));
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      await cache.put(address, response);
    }),
  );
}

/** The build before this one stays: pages that are open fetch their scripts from it. */
async function forgetOlder(): Promise<void> {
  const older = await olderCaches();
  await Promise.all(older.slice(0, -1).map((each) => caches.delete(each)));
}

/** The caches of other builds of this site, the oldest first. */
async function olderCaches(): Promise<string[]> {
  return (await caches.keys()).filter((each) => each.startsWith(prefix) && each !== name);
}

async function fromCache(path: string, request: Request): Promise<Response> {
  return (await keptOf(path)) ?? fetch(request);
}

async function fromNetwork(path: string, request: Request): Promise<Response> {
  const fetched = fetch(request);
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), PATIENCE_MILLISECONDS));
  const first = await Promise.race([fetched, late]).catch(() => null);
  if (first !== null) return first;
  return (await keptOf(path)) ?? (await keptFolderOf(path, request)) ?? fetched;
}

/** This build's file, else, for what has its content in its name, another build's. */
async function keptOf(path: string): Promise<Response | undefined> {
  const address = addressOf(path);
  const current = await (await caches.open(name)).match(address);
  if (current !== undefined || !isNamedByContent(path)) return current;
  for (const each of await olderCaches()) {
    const found = await (await caches.open(each)).match(address);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A page without its slash: its own addresses are relative to its folder, so it is only read there. */
async function keptFolderOf(path: string, request: Request): Promise<Response | undefined> {
  if (request.mode !== "navigate" || files[`${path}/index.html`] === undefined) return undefined;
  return Response.redirect(`${addressOf(path)}/`);
}

/** A folder's page is asked for by the folder: some hosts answer its file's name with a redirect. */
function addressOf(path: string): string {
  return new URL(path.replace(/(^|\/)index\.html$/, "$1"), root).href;
}
