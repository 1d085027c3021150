/** How many requests a second the engine answers in a worker of a page, in memory and on the origin's private files.
 *  Prints a line for each kind; `cargo xtask bench tab` runs it. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const ANNOUNCEMENT = "Keyplan studio: ";
const HERE = import.meta.dirname;
const PACKAGE = join(HERE, "../engine-pkg");
const WORKER = "tab-bench-worker.js";

const KINDS = [
  { name: "GetItem, in memory", store: "memory", operation: "GetItem" },
  { name: "PutItem, in memory", store: "memory", operation: "PutItem" },
  { name: "PutItem, on OPFS, to survive a killed browser", store: "opfs", operation: "PutItem" },
  { name: "the same, to survive a loss of power", store: "opfs", operation: "PutItem", together: 1 },
  { name: "the same, 16 at a time", store: "opfs", operation: "PutItem", together: 16 },
];

const [binary, ...flags] = process.argv.slice(2);
/** The number that follows a flag. */
const given = (flag, otherwise) => Number(flags[flags.indexOf(flag) + 1] ?? otherwise) || otherwise;
const [rounds, seconds] = [given("--rounds", 5), given("--seconds", 1)];
const studio = spawn(binary, ["studio", "--port", "0", "--studio-port", "0"], {
  stdio: ["ignore", "pipe", "inherit"],
});
// A profile of its own on the disk: what a private window keeps is kept by another process, at another price.
const profile = mkdtempSync(join(tmpdir(), "keyplan-tab-bench-"));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env["KEYPLAN_CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
try {
  const page = await benchPage(await announced());
  const rates = new Map(KINDS.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const { name, ...kind } of KINDS) rates.get(name).push(await inWorker(page, { ...kind, seconds }));
  console.log(
    "| in a worker of a tab | requests a second, the middle round | least | most |\n|---|---:|---:|---:|",
  );
  for (const [name, found] of rates) {
    found.sort((one, other) => one - other);
    const figures = [found[Math.floor(found.length / 2)], found[0], found.at(-1)];
    console.log(`| ${name} | ${figures.map((rate) => rate.toLocaleString("en")).join(" | ")} |`);
  }
} finally {
  await browser.close();
  studio.kill("SIGTERM");
  rmSync(profile, { recursive: true, force: true });
}

async function announced() {
  for await (const line of createInterface({ input: studio.stdout }))
    if (line.startsWith(ANNOUNCEMENT)) return line.slice(ANNOUNCEMENT.length).trim().replace(/\/$/, "");
  throw new Error(`${binary} studio ended without saying where the studio is`);
}

/** An empty page of the studio's origin, beside which the engine's package and the worker lie. */
async function benchPage(site) {
  await browser.route(`${site}/bench/*`, async (route) => {
    const name = basename(new URL(route.request().url()).pathname);
    if (name === "page.html") await route.fulfill({ contentType: "text/html", body: "<!doctype html>" });
    else await route.fulfill({ path: join(name === WORKER ? HERE : PACKAGE, name) });
  });
  const page = await browser.newPage();
  await page.goto(`${site}/bench/page.html`);
  return page;
}

function inWorker(page, task) {
  return page.evaluate(
    ([worker, message]) =>
      new Promise((done, failed) => {
        const running = new Worker(worker, { type: "module" });
        running.onerror = (event) => failed(new Error(`the worker: ${event.message}`));
        running.onmessage = ({ data }) => {
          running.terminate();
          if (data.failed === undefined) done(data.rate);
          else failed(new Error(data.failed));
        };
        running.postMessage(message);
      }),
    [WORKER, task],
  );
}
