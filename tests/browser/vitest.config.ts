import { defineConfig } from "vitest/config";

const modules = new URL("../../ui/node_modules/", import.meta.url).pathname;

export default defineConfig({
  test: {
    dir: new URL(".", import.meta.url).pathname,
    include: ["**/*.test.ts"],
    environment: "node",
    // One Chromium at a time: two slow each other down more than they save.
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
  // The packages belong to ui/, which is beside this folder and not above it.
  resolve: { alias: { "playwright-core": `${modules}playwright-core`, "axe-core": `${modules}axe-core` } },
});
