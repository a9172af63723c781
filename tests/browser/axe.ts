/* The accessibility run: no finding that axe calls serious or critical. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { ROOT, settled } from "./harness";

const source = readFileSync(join(ROOT, "ui/node_modules/axe-core/axe.min.js"), "utf8");

export async function accessible(page: Page): Promise<void> {
  await settled(page);
  // Through the debugger, which the page's CSP does not bind.
  await page.evaluate(source);
  const results = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  const serious = results.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(
    serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("\n")}`),
  ).toEqual([]);
}
