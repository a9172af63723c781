/* Findings: marks in the sidebar and on charts, and the Findings tab. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE } from "./harness";

const BROKEN = "2026-01-31_001_lr1e-2";

let board: Board;
let page: Page;

const row = (run: string): Locator => page.getByRole("row").filter({ hasText: run });
const markOf = (run: string): Locator => row(run).getByRole("button", { name: /finding/ });
const finding = (code: string): Locator => page.getByRole("article", { name: new RegExp(`^${code} of `) });
const plot = (): Locator => page.getByRole("article", { name: "train/loss" }).locator(".plot");

beforeAll(async () => {
  board = await Board.on("findings");
});

beforeEach(async () => {
  page = await open(board);
  await markOf(BROKEN).waitFor();
});

test("a run with findings is marked, and a click on the mark lists them", async () => {
  await expect.poll(() => markOf(BROKEN).getAttribute("title")).toBe("3 findings, the worst: error");
  await expect.poll(() => markOf("002_long").getAttribute("title")).toBe("1 finding, the worst: note");
  await expect.poll(() => markOf("healthy").count()).toBe(0);
  await markOf(BROKEN).click();
  await finding("diverged").waitFor();
  await expect
    .poll(() => page.getByRole("region", { name: "Findings by severity" }).getByRole("heading").allInnerTexts())
    .toEqual([
      "Errors 1",
      expect.stringContaining("10 consecutive steps"),
      "Warnings 2",
      expect.stringContaining("The loss was nan"),
      expect.stringContaining("The loss was nan"),
    ]);
  await finding("diverged").getByText("Lower the learning rate").waitFor();
  await page.getByRole("button", { name: `Run ${BROKEN}` }).click();
  await page.getByRole("menuitemradio", { name: "all selected" }).click();
  await finding("memory").waitFor();
});

test("the tab is in the header, has a key, and filters", async () => {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Findings" }).waitFor();
  await page.keyboard.press("d");
  await finding("memory").waitFor();
  await page.getByRole("searchbox", { name: "Filter findings" }).fill("diverged");
  await expect.poll(() => finding("memory").count()).toBe(0);
  await finding("diverged").waitFor();
});

test("a finding opens the charts at its step", async () => {
  await page.keyboard.press("d");
  await finding("diverged").getByRole("button", { name: "Show in Charts" }).click();
  await plot().waitFor();
  await expect.poll(() => hash(page)).toMatch(/^#charts&at=160/);
});

test("the tooltip of a chart has the message of the finding under the pointer, only there", async () => {
  const message = page.getByRole("tooltip").getByText(/10 consecutive steps/);
  await plot().hover();
  const box = (await plot().boundingBox())!;
  const moveTo = (x: number): Promise<void> => page.mouse.move(box.x + x, box.y + box.height / 2);
  const isFound = async (): Promise<boolean> => {
    for (let x = 60; x < box.width - 4; x += 6) {
      await moveTo(x);
      if (await message.isVisible()) return true;
    }
    return false;
  };
  await expect.poll(isFound, { timeout: 60_000 }).toBe(true);
  await moveTo(60);
  await expect.poll(() => message.count()).toBe(0);
});

test("an exported chart names its findings", async () => {
  await plot().hover();
  await page.getByRole("article", { name: "train/loss" }).getByRole("button", { name: "More" }).click();
  const svg = await downloaded(page, () => page.getByRole("button", { name: "SVG", exact: true }).click());
  expect(svg.bytes.toString()).toContain(">diverged<");
});

test("a finding appears while the run is trained", async () => {
  const own = await Board.on("findings");
  page = await open(own);
  await row("healthy").waitFor();
  const line = { code: "not-learning", severity: "warning", what: "The loss does not fall.", first_step: 50 };
  appendFileSync(join(own.logdir, "healthy/findings.jsonl"), `${JSON.stringify(line)}\n`);
  await expect.poll(() => markOf("healthy").count()).toBe(1);
  await markOf("healthy").click();
  await finding("not-learning").getByText("The loss does not fall.").waitFor();
});

test("the doctor finds what is wrong with a run that reports nothing", async () => {
  page = await open(await Board.on("sweep"), "#findings");
  const found = finding("non-finite");
  await found.getByText("train/loss became NaN at step 600").waitFor();
  await found.getByText("What to try").waitFor();
  await expect.poll(() => page.getByRole("article").count()).toBe(1);
  await found.getByRole("button", { name: "Show in Charts" }).click();
  await expect.poll(() => hash(page)).toMatch(/^#charts&at=600/);
});

test("a loss that becomes NaN while the page is open is found", async () => {
  const own = await Board.on("sweep");
  page = await open(own, "#findings");
  await finding("non-finite").waitFor();
  own.write("bert-lr2e-5-s1", 'log.add_scalar("train/loss", float("nan"), 1000)');
  await expect.poll(() => finding("non-finite").count()).toBe(2);
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#findings", { colorScheme });
    await finding("diverged").waitFor();
    await golden(page, `findings-${colorScheme}`);
    await accessible(page);
  });
});

test("marks on charts look as they should", async () => {
  await plot().waitFor();
  await golden(page, "findings-charts");
});

test("looks as it should on a phone", async () => {
  page = await open(board, "#findings", { viewport: PHONE });
  await finding("diverged").waitFor();
  await golden(page, "findings-phone");
});
