import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte()],
  // Relative addresses: the board may be served below any path prefix.
  base: "./",
  build: {
    outDir: "../lossboard/web",
    emptyOutDir: true,
    target: "es2022",
    // The CSP has no data: sources but for images.
    assetsInlineLimit: 0,
    // One style sheet of 10 KB, and no preloading: the loader for both is more script than they save time on a local server.
    cssCodeSplit: false,
    modulePreload: false,
  },
  server: { proxy: { "/api": process.env.LOSSBOARD_SERVER ?? "http://127.0.0.1:6006" } },
  // Without this condition vitest loads Svelte's server build; with it a build for people would load the development one.
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  test: { include: ["src/**/*.test.ts"] },
});
