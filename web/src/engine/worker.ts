/** The worker: the engine's wasm modules behind the page's messages. */
import init, { Tab } from "../../engine-pkg/keyplan_browser.js";
import { Host } from "./host";
import { Modules } from "./modules";
import type { Message } from "./protocol";
import type { TabWithFiles } from "./tab";

/** A message to itself comes behind those of the page that are there already; a timer would wait. */
const { port1: ahead, port2: behind } = new MessageChannel();
const calls: (() => void)[] = [];
ahead.onmessage = () => calls.shift()?.();

const host = init().then(
  () =>
    new Host(new Modules(new Tab(), withFiles), {
      now: () => Date.now(),
      hasOpfs,
      after: (milliseconds, call) => void setTimeout(call, milliseconds),
      soon: (call) => {
        calls.push(call);
        behind.postMessage(null);
      },
      post: (answer) => self.postMessage(answer),
    }),
);

self.addEventListener("message", (event: MessageEvent<Message>) => {
  host.then(
    (ready) => ready.receive(event.data),
    (error: unknown) => self.postMessage({ id: event.data.id, failed: "panic", reason: String(error) }),
  );
});

/** The module that has SQLite in it. */
async function withFiles(): Promise<TabWithFiles> {
  const module = await import("../../engine-pkg/keyplan_browser_files.js");
  await module.default();
  return new module.Tab();
}

/** Some browsers have the interface and refuse its use in a private window: only trying tells. */
async function hasOpfs(): Promise<boolean> {
  if (typeof FileSystemFileHandle === "undefined") return false;
  if (!("createSyncAccessHandle" in FileSystemFileHandle.prototype)) return false;
  return navigator.storage.getDirectory().then(
    () => true,
    () => false,
  );
}
