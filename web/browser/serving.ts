/** Starts the studio under test once for all files, or takes the one that KEYPLAN_STUDIO_URL names. */
import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    studio: string;
  }
}

const ANNOUNCEMENT = "Keyplan studio: ";

export default async function setup(project: TestProject): Promise<() => void> {
  const given = process.env["KEYPLAN_STUDIO_URL"];
  if (given !== undefined) {
    project.provide("studio", given.replace(/\/$/, ""));
    return () => {};
  }
  const studio = spawn(command(), ["studio", "--port", "0", "--studio-port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: studio.stdout })) {
    if (!line.startsWith(ANNOUNCEMENT)) continue;
    project.provide("studio", line.slice(ANNOUNCEMENT.length).trim());
    return () => void studio.kill("SIGTERM");
  }
  throw new Error("`keyplan studio` ended without saying where the studio is");
}

/** The command that KEYPLAN_BINARY names, else the newest that was built. */
export function command(): string {
  const given = process.env["KEYPLAN_BINARY"];
  if (given !== undefined) return given;
  const target = process.env["CARGO_TARGET_DIR"] ?? join(import.meta.dirname, "../../target");
  const built = ["release", "debug"].map((profile) => join(target, profile, "keyplan")).filter(existsSync);
  const [newest] = built.sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs);
  if (newest === undefined)
    throw new Error(`no keyplan under ${target}: build it, or set KEYPLAN_STUDIO_URL`);
  return newest;
}
