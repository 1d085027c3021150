/** Has the whole site kept in the browser once a page has loaded, so that every page works without a network. */

/** The name that the site gives the service worker, at its root: a worker serves what lies below it. */
const WORKER = "service-worker.js";

/** Registers the service worker, where the browser has them for this address. Nothing on a page depends on it, so a
 *  refusal is nobody's error. */
export function workOffline(): void {
  if (!("serviceWorker" in navigator)) return;
  // Scripts lie in a folder of the root.
  const here = import.meta.url;
  const address = new URL(`../${WORKER}`, here);
  const register = (): void => void navigator.serviceWorker.register(address).catch(() => {});
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true });
}
