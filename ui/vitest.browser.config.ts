import { defineConfig } from "vitest/config";

const here = new URL(".", import.meta.url).pathname;
const tests = new URL("../tests/browser/", import.meta.url).pathname;

/* The tests in real Chromium. They are with the other tests, beside this folder and not below it, so the packages are named here. */
export default defineConfig({
  root: tests,
  test: {
    include: ["**/*.test.ts"],
    environment: "node",
    // One Chromium at a time: two slow each other down more than they save.
    fileParallelism: false,
    // A real browser on a busy machine is late now and then. What is wrong stays wrong at the third try.
    retry: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
  resolve: { alias: Object.fromEntries(["playwright-core", "axe-core", "vitest"].map((name) => [name, `${here}node_modules/${name}`])) },
});
