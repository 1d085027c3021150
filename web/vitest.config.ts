import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { serviceShapes } from "./service-shapes.config.ts";

export default defineConfig({
  plugins: [svelte(), serviceShapes()],
  test: { include: ["test/**/*.test.ts"], environment: "node" },
});
