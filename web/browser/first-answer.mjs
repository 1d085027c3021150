/** From the address to the first answered request: a page is opened in a browser that has nothing of the site, its first
 *  question is run as soon as that can be pressed, and the time is taken when its receipt is there. Prints a line for
 *  each page; `cargo xtask measure page` runs it. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const ROUNDS = 9;
const ANNOUNCEMENT = "Keyplan studio: ";
/** What the middle round may take. */
const MILLISECONDS_MAX = 1500;

const PAGES = [
  { path: "/models/customer-orders/", press: /^Run: /, answered: ".receipt" },
  { path: "/course/a-filter-is-no-index/", press: /^Run/, answered: ".receipt" },
];

const [binary] = process.argv.slice(2);
const studio = spawn(binary, ["studio", "--port", "0", "--studio-port", "0"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const browser = await chromium.launch({
  executablePath: process.env["KEYPLAN_CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
try {
  const site = await announced();
  for (const { path, press, answered } of PAGES) {
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1)
      times.push(await firstAnswer(site + path, press, answered));
    times.sort((one, other) => one - other);
    const [middle, most] = [times[Math.floor(ROUNDS / 2)], times.at(-1)];
    console.log(`  ${path}: ${middle.toFixed(0)} ms in the middle, ${most.toFixed(0)} ms at most`);
    if (middle > MILLISECONDS_MAX) process.exitCode = 1;
  }
} finally {
  await browser.close();
  studio.kill("SIGTERM");
}

async function announced() {
  for await (const line of createInterface({ input: studio.stdout }))
    if (line.startsWith(ANNOUNCEMENT)) return line.slice(ANNOUNCEMENT.length).trim().replace(/\/$/, "");
  throw new Error(`${binary} studio ended without saying where the studio is`);
}

async function firstAnswer(address, press, answered) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
  try {
    const page = await context.newPage();
    const begun = performance.now();
    await page.goto(address, { waitUntil: "commit" });
    // The label of the part stands there before; only an answer has lines that begin with ScannedCount.
    await page.getByRole("button", { name: press }).first().click();
    await page.locator(answered).getByText("ScannedCount").first().waitFor();
    return performance.now() - begun;
  } finally {
    await context.close();
  }
}
