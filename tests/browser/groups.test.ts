/* Groups of runs with equal facts: in the sidebar, in charts, in tables and in files. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE, settled } from "./harness";

let board: Board;
let page: Page;

const GROUPED = "#charts&by=lr";
const group = (name: string): Locator => page.getByRole("row", { name }).first();
const card = (tag: string): Locator => page.getByRole("article", { name: tag, exact: true });
const plotLabel = (tag: string): Promise<string | null> => card(tag).locator(".plot").getAttribute("aria-label");
const rowNames = (): Promise<string[]> => page.getByRole("rowheader").allInnerTexts();
const plain = (text: string): string => text.replace(/\s+/g, " ").trim();

beforeAll(async () => {
  board = await Board.on("seeds");
});

describe("runs by their learning rate", () => {
  beforeEach(async () => {
    page = await open(board, GROUPED);
    await group("lr 3e-5").waitFor();
  });

  test("are groups in the sidebar with the mean of the main metric", async () => {
    const names = (await rowNames()).map(plain).filter((name) => /\druns?$|\d runs?$/.test(name));
    expect(names).toEqual(["lr 2e-5 3 runs", "lr 3e-5 5 runs", "lr 5e-5 4 runs", "lr 1e-4 3 runs", "no lr 1 run"]);
    await expect.poll(async () => plain(await group("lr 5e-5").innerText())).toMatch(/0\.28\d\d ± 0\.00\d/);
    await page.getByRole("columnheader", { name: "loss last" }).waitFor();
  });

  test("are one line of each chart, and a run that is not shown leaves the mean", async () => {
    await expect.poll(() => plotLabel("eval/loss")).toBe("eval/loss: 5 lines");
    await page.getByRole("checkbox", { name: "Show all runs of lr 1e-4" }).click();
    await expect.poll(() => plotLabel("eval/loss")).toBe("eval/loss: 4 lines");
    await page.getByRole("checkbox", { name: "Show bert-lr3e-5-seed1" }).click();
    await expect.poll(async () => plain(await group("lr 3e-5").innerText())).toContain("4 of 5 runs");
    await expect.poll(() => plotLabel("eval/loss")).toBe("eval/loss: 4 lines");
  });

  test("fold, and stay folded after a reload", async () => {
    await group("lr 3e-5").click();
    const member = page.getByRole("rowheader", { name: "bert-lr3e-5-seed1" });
    await member.waitFor({ state: "detached" });
    await expect.poll(() => hash(page)).toContain("fold=");
    await page.reload();
    await group("lr 3e-5").waitFor();
    expect(await member.count()).toBe(0);
  });

  test("are in the tooltip with mean, interval and number of runs", async () => {
    const plot = card("eval/loss").locator(".plot");
    await plot.hover();
    const tooltip = page.getByRole("tooltip");
    await expect
      .poll(async () => plain(await tooltip.innerText()))
      .toMatch(/mean 95 % t interval n .*lr 1e-4 [\d.]+ [\d.]+ [\d.]+ to [\d.]+ 2 of 3/);
    expect(plain(await tooltip.innerText())).toMatch(/lr 5e-5 [\d.]+ [\d.]+ ± 0\.\d+ 4/);
    expect(plain(await tooltip.innerText())).toContain("lr 1e-4: 1 run left out, because its value is not finite.");
  });

  test("have the same numbers in the expanded chart and in its file", async () => {
    await page.goto(`${board.url}#charts&by=lr&full=eval/loss&smooth=0`);
    const cells = (name: string): Promise<string[]> =>
      page.locator("table tr").filter({ hasText: name }).locator("td").allInnerTexts();
    await expect.poll(async () => (await cells("lr 5e-5")).length).toBeGreaterThan(5);
    const [, mean, , runs, least] = (await cells("lr 5e-5")).map(plain);
    expect(runs).toBe("4");
    await page.getByRole("button", { name: "More", exact: true }).last().click();
    const file = await downloaded(page, () => page.getByRole("button", { name: "CSV" }).click());
    const [head, ...lines] = file.bytes.toString().trim().split("\n");
    expect(head).toBe("group,tag,step,n,mean,low,high,smoothed");
    const own = lines.map((line) => line.split(",")).filter(([name]) => name === "lr 5e-5");
    expect(Number(own.at(-1)![4])).toBeCloseTo(Number(mean), 3);
    const smallest = Math.min(...own.map((cell) => Number(cell[4])));
    expect(smallest).toBeCloseTo(Number(least!.split(" ")[0]), 3);
  });

  test("can be the median with quartiles, which is in the URL", async () => {
    await page.getByRole("button", { name: /^Line/ }).click();
    await page.getByRole("menuitemradio", { name: "median" }).click();
    await expect.poll(() => hash(page)).toContain("center=median");
    await page.getByRole("menuitemradio", { name: "min to max" }).click();
    await expect.poll(() => hash(page)).toContain("band=minmax");
    expect(await page.getByRole("menuitemradio", { name: "95 % t interval" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await card("eval/loss").locator(".plot").hover();
    await expect.poll(async () => plain(await page.getByRole("tooltip").innerText())).toContain("median min to max n");
  });

  test("grow with their runs", async () => {
    const own = await Board.on("seeds");
    page = await open(own, "#charts&by=lr", { realTime: true });
    await group("lr 3e-5").waitFor();
    own.log("bert-lr3e-5-seed6", "eval/loss", [0.9, 0.8, 0.7]);
    await expect.poll(async () => plain(await group("lr 3e-5").innerText())).toContain("6 runs");
    own.log("bert-lr7e-5-seed1", "eval/loss", [0.9, 0.8, 0.7]);
    await expect.poll(() => plotLabel("eval/loss")).toBe("eval/loss: 6 lines");
  });
});

describe("without groups", () => {
  beforeEach(async () => {
    page = await open(board, "#charts");
    await page.getByRole("rowheader", { name: "baseline" }).waitFor();
    await page.mouse.move(400, 700);
  });

  test("runs that differ only in their seed are offered as groups, once", async () => {
    await page.getByText("15 runs differ only in the seed").waitFor();
    await page.getByRole("button", { name: "Group", exact: true }).click();
    await group("lr 3e-5").waitFor();
    await expect.poll(() => hash(page)).toContain("by=hp.lr");
    await page.goBack();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.reload();
    await page.getByRole("rowheader", { name: "baseline" }).waitFor();
    await page.mouse.move(400, 600);
    await page.getByRole("button", { name: "Group none" }).click();
    await page.getByRole("button", { name: "Repeated seeds 4 groups" }).waitFor();
    expect(await page.getByText("differ only in the seed").count()).toBe(0);
  });

  test("facts and conditions are chosen in a menu with the keyboard", async () => {
    await page.getByRole("button", { name: "Group none" }).click();
    await page.getByRole("textbox", { name: "Facts to group by" }).waitFor();
    await page.keyboard.type("lr < 4e-5");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await rowNames()).map(plain)).toContain("lr < 4e-5 8 runs");
    await page.keyboard.type("seed");
    await page.getByRole("dialog").getByRole("checkbox", { name: "seed" }).waitFor();
    await page.keyboard.press("Enter");
    await group("lr < 4e-5, seed 1").waitFor();
    await page.getByRole("dialog").getByRole("checkbox", { name: "lr < 4e-5" }).click();
    await expect.poll(async () => (await rowNames()).map(plain)).toContain("seed 1 4 runs");
  });

  test("an unknown fact in the URL says so, and can be reset", async () => {
    await page.goto(`${board.url}#charts&by=learning`);
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("learning");
    await expect.poll(() => plotLabel("eval/loss")).toBe("eval/loss: 16 lines");
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await expect.poll(() => hash(page)).not.toContain("by=");
  });

  test("runs are colored by a fact, with a scale for numbers", async () => {
    await page.getByRole("button", { name: "Color run" }).click();
    await page.getByRole("menuitemradio", { name: "lr" }).click();
    const legend = page.getByRole("group", { name: /^Colors by/ });
    await expect.poll(async () => plain(await legend.innerText())).toBe("lr 2e-5 3e-5 5e-5 1e-4");
    await page.goto(`${board.url}#charts&color=start`);
    await page.getByRole("group", { name: "Colors by start" }).locator(".ramp").waitFor();
  });
});

describe("screens", () => {
  test.each(["light", "dark"] as const)("groups in %s", async (colorScheme) => {
    page = await open(board, GROUPED, { colorScheme });
    await group("lr 3e-5").waitFor();
    await settled(page);
    await golden(page, `groups-${colorScheme}`);
    await accessible(page);
  });

  test("groups on a phone", async () => {
    page = await open(board, GROUPED, { viewport: PHONE, hasTouch: true });
    await expect.poll(() => plotLabel("eval/accuracy")).toBe("eval/accuracy: 5 lines");
    await page.getByRole("button", { name: /^Runs/ }).tap();
    await group("lr 3e-5").waitFor();
    await settled(page);
    await golden(page, "groups-phone");
  });
});
