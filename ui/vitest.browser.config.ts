import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const tests = fileURLToPath(new URL("../tests/browser/", import.meta.url));
const packages = fileURLToPath(new URL("node_modules/", import.meta.url));

/* The tests in real Chromium. They are with the other tests, beside this folder and not below it, so the packages are named here. */
export default defineConfig({
  root: tests,
  test: {
    include: ["**/*.test.ts"],
    environment: "node",
    // Two files at a time, each with its own Chromium: a test waits for pages and boards half of its time.
    maxWorkers: 2,
    // Long, for machines that do other things: the steps within wait for what they need and no longer.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The board may need a moment for what a test expects of it, but not a fixed one.
    expect: { poll: { timeout: 30_000, interval: 50 } },
    // The reporter lists tests that pass only on the retry, and fails the run when there are more than two.
    retry: 1,
    reporters: ["default", `${tests}flakyReporter.ts`],
  },
  resolve: {
    alias: Object.fromEntries(["playwright-core", "axe-core", "vitest"].map((name) => [name, packages + name])),
  },
});
