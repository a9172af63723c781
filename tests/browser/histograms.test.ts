/* The Histograms view, used as a person does. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, eventually, hash, open, PHONE } from "./harness";

let board: Board;
let page: Page;

const cards = (): Locator => page.getByRole("article");
const titles = (): Promise<string[]> => page.getByRole("article").getByRole("heading").allInnerTexts();
/** How many pixels of a card's picture are drawn. */
const ink = (card: Locator): Promise<number> =>
  card.locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((sum, value, i) => sum + (i % 4 === 3 && value > 0 ? 1 : 0), 0);
  });
const drawn = async (): Promise<void> => eventually(async () => expect(await ink(cards().first())).toBeGreaterThan(2000));

beforeAll(async () => {
  board = await Board.on("things");
});

beforeEach(async () => {
  page = await open(board, "#histograms");
  await drawn();
});

test("shows every tensor of the first run, and of another when it is chosen", async () => {
  expect(await titles()).toEqual(["layer.0.weight", "layer.1.weight"]);
  await page.getByRole("button", { name: "Run bert-s1" }).click();
  await page.getByRole("menuitemradio", { name: "each run shown" }).click();
  await eventually(async () => expect(await cards().count()).toBe(4));
  await page.goBack();
  await eventually(async () => expect(await cards().count()).toBe(2));
});

test.each(["Overlay", "Heatmap", "Bands"])("draws %s, and the address says so", async (shape) => {
  await page.getByRole("button", { name: shape }).click();
  await drawn();
  expect(await hash(page)).toContain(`hist.shape=${{ Overlay: "overlay", Heatmap: "heat", Bands: "bands" }[shape]}`);
  await page.reload();
  await drawn();
  expect(await page.getByRole("button", { name: shape }).getAttribute("aria-pressed")).toBe("true");
});

test("filters and sorts: what changed most comes first", async () => {
  await page.getByRole("button", { name: "Sort name" }).click();
  await page.getByRole("menuitemradio", { name: "change" }).click();
  await eventually(async () => expect(await titles()).toEqual(["layer.1.weight", "layer.0.weight"]));
  await page.getByRole("searchbox", { name: "Filter tensors" }).fill("layer.0");
  await eventually(async () => expect(await titles()).toEqual(["layer.0.weight"]));
});

test("says value, count and step under the pointer", async () => {
  await page.getByRole("button", { name: "Heatmap" }).click();
  await drawn();
  const box = (await cards().first().locator("canvas").boundingBox())!;
  const tip = page.locator(".tip");
  let nudge = 0;
  await eventually(async () => {
    await page.mouse.move(box.x + box.width / 2 + (nudge++ % 2), box.y + box.height / 2);
    expect(await tip.count()).toBe(1);
  });
  expect(await tip.innerText()).toMatch(/step\s+4[05]0[\s\S]*value[\s\S]*count[\s\S]*share/);
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#histograms&hist.run=each", { colorScheme });
    await drawn();
    await golden(page, `histograms-${colorScheme}`);
    await accessible(page);
  });
});

test("fits a phone", async () => {
  page = await open(board, "#histograms", { viewport: PHONE });
  await drawn();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
});
