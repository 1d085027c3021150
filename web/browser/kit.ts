/** Pages whose workers run the stores' kit. The kit's package is answered from its folder, at an address of the
 *  studio's origin, so that its files are private ones of a secure context like the studio's own. */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { site, visitor } from "./studio";

const HERE = import.meta.dirname;

/** The package that KEYPLAN_KIT_PACKAGE names, else where `cargo xtask wasm --kit` puts it. */
function kitPackage(): string {
  const folder = process.env["KEYPLAN_KIT_PACKAGE"] ?? join(HERE, "../../target/wasm/kit-pkg");
  if (!existsSync(folder)) throw new Error(`no kit in ${folder}: run \`cargo xtask wasm --kit\``);
  return folder;
}

/** An empty page, beside which the kit and its worker lie. */
export async function kitPage(): Promise<Page> {
  const folder = kitPackage();
  const context = await visitor();
  await context.route(site("/kit/*"), async (route) => {
    const name = basename(new URL(route.request().url()).pathname);
    if (name === "page.html") await route.fulfill({ contentType: "text/html", body: "<!doctype html>" });
    else await route.fulfill({ path: join(name === "kit-worker.js" ? HERE : folder, name) });
  });
  const page = await context.newPage();
  await page.goto(site("/kit/page.html"));
  return page;
}

/** A message for the worker. */
export interface Task {
  readonly task: "memory" | "opfs" | "files" | "write" | "check";
  readonly [detail: string]: unknown;
}

/** What became of a worker: its answer, or that it was ended, and the steps it had acknowledged until then. */
export interface Ended {
  readonly done: unknown;
  readonly steps: readonly number[];
}

/** Runs a task in a worker of its own, which is ended once it has answered, or has acknowledged so many steps. */
export function inWorker(page: Page, task: Task, endAfter = Infinity): Promise<Ended> {
  return page.evaluate(
    ([message, enough]) =>
      new Promise<Ended>((ended, failed) => {
        const worker = new Worker("kit-worker.js", { type: "module" });
        const steps: number[] = [];
        const end = (done: unknown): void => {
          worker.terminate();
          ended({ done, steps });
        };
        worker.onerror = (event) => failed(new Error(`the worker: ${event.message}`));
        worker.onmessage = ({ data }: MessageEvent<{ step?: number; done?: unknown; failed?: string }>) => {
          if (data.step !== undefined) {
            steps.push(data.step);
            if (steps.length === enough) end("ended");
          } else if (data.failed === undefined) end(data.done);
          else failed(new Error(data.failed));
        };
        worker.postMessage(message);
      }),
    [task, endAfter] as const,
  );
}
