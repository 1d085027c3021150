/** What was built, each file packed with gzip, for the command that has the pages in it: `web/packed/`. */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const BUILT = join(import.meta.dirname, "dist");
const PACKED = join(import.meta.dirname, "packed");

/** Packs `dist/` when it is written. */
export function packed(): Plugin {
  return {
    name: "packed",
    apply: "build",
    closeBundle() {
      rmSync(PACKED, { recursive: true, force: true });
      for (const entry of readdirSync(BUILT, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const file = join(entry.parentPath, entry.name);
        const to = join(PACKED, file.slice(BUILT.length));
        mkdirSync(dirname(to), { recursive: true });
        writeFileSync(to, gzipSync(readFileSync(file), { level: 9 }));
      }
    },
  };
}
