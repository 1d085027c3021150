import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { packed } from "./packed.config.ts";
import { serviceShapes } from "./service-shapes.config.ts";

// The pages are rendered by Rust, which finds the built files through the manifest. Every address is
// relative, so the site works under any path of any host.
export default defineConfig({
  base: "./",
  plugins: [svelte(), serviceShapes(), packed()],
  worker: { format: "es" },
  build: {
    manifest: "manifest.json",
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { main: "src/main.ts", "service-worker": "src/offline/service-worker.ts" },
      // A service worker serves what lies below it, and keeps its address from build to build.
      output: {
        entryFileNames: ({ name }) =>
          name === "service-worker" ? "service-worker.js" : "assets/[name]-[hash].js",
      },
    },
  },
});
