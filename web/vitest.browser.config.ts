import { defineConfig } from "vitest/config";

// Tests of the real studio in a real browser. One file at a time: "my database" is one an origin, and the
// machine's cores are few.
export default defineConfig({
  test: {
    include: ["browser/**/*.test.ts"],
    environment: "node",
    globalSetup: "browser/serving.ts",
    fileParallelism: false,
    // A browser on a machine with much else to do may be late once. What needs its second try is named in the report.
    retry: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
