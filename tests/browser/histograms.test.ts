/* The Histograms tab. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE, steadyBox } from "./harness";

let board: Board;
let page: Page;

const cards = (): Locator => page.getByRole("article");
/** Returns the tensors in order, each once. */
const titles = async (): Promise<string[]> => [...new Set(await cards().getByRole("heading").allInnerTexts())];
const names = (): Promise<(string | null)[]> =>
  cards().evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
/** Returns how many pixels of a chart are drawn. */
const ink = (card: Locator): Promise<number> =>
  card
    .locator("canvas")
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      return data.reduce((sum, value, i) => sum + (i % 4 === 3 && value > 0 ? 1 : 0), 0);
    });
/** Waits for the chart in the current shape. Until its data arrives, the canvas keeps the last drawing, but the facts are gone. */
async function drawn(): Promise<void> {
  await cards().first().locator(".facts").waitFor({ state: "attached" });
  await expect.poll(() => ink(cards().first())).toBeGreaterThan(2000);
}

/** Clicks the button of a shape and waits for the chart. */
async function choose(shape: string): Promise<void> {
  await page.getByRole("button", { name: shape }).click();
  await expect.poll(() => page.getByRole("button", { name: shape }).getAttribute("aria-pressed")).toBe("true");
  await drawn();
}

beforeAll(async () => {
  board = await Board.on("things");
});

beforeEach(async () => {
  page = await open(board, "#histograms");
  await drawn();
});

test("shows the tensors of all selected runs, or of one", async () => {
  await expect
    .poll(names)
    .toEqual([
      "layer.0.weight of bert-s1",
      "layer.0.weight of bert-s2",
      "layer.1.weight of bert-s1",
      "layer.1.weight of bert-s2",
    ]);
  await page.getByRole("button", { name: "Run all selected runs" }).click();
  await page.getByRole("menuitemradio", { name: "bert-s2" }).click();
  await expect.poll(names).toEqual(["layer.0.weight of bert-s2", "layer.1.weight of bert-s2"]);
  await page.goBack();
  await expect.poll(() => cards().count()).toBe(4);
});

test.each(["Overlay", "Heatmap", "Bands"])("draws %s, and the shape is in the URL", async (shape) => {
  await choose(shape);
  await expect
    .poll(() => hash(page))
    .toContain(`hist.shape=${{ Overlay: "overlay", Heatmap: "heat", Bands: "bands" }[shape]}`);
  await page.reload();
  await drawn();
  await expect.poll(() => page.getByRole("button", { name: shape }).getAttribute("aria-pressed")).toBe("true");
});

test("filters, and sorts by change, norm and zeros, largest first", async () => {
  for (const [before, order] of [
    ["name", "change"],
    ["change", "norm"],
  ]) {
    await page.getByRole("button", { name: `Sort ${before}` }).click();
    await page.getByRole("menuitemradio", { name: order }).click();
    await expect.poll(() => titles()).toEqual(["layer.1.weight", "layer.0.weight"]);
  }
  await page.getByRole("button", { name: "Sort norm" }).click();
  await page.getByRole("menuitemradio", { name: "fraction of zeros" }).click();
  await expect.poll(() => titles()).toEqual(["layer.0.weight", "layer.1.weight"]);
  await page.getByRole("searchbox", { name: "Filter tensors" }).fill("layer.0");
  await expect.poll(() => titles()).toEqual(["layer.0.weight"]);
});

test("shows value, count and step under the pointer, even if the data arrives while the pointer rests", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/api/histograms/cards", async (route) => (await held, route.continue()));
  await page.getByRole("button", { name: "Heatmap" }).click();
  const box = await steadyBox(cards().first().locator(".plot"));
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const tip = page.locator(".tip");
  await expect.poll(() => tip.count()).toBe(0);
  release();
  await tip.waitFor();
  await expect.poll(() => tip.innerText()).toMatch(/step\s+4[05]0[\s\S]*value[\s\S]*count[\s\S]*fraction/);
  await choose("Bands");
  await page.mouse.move(box.x + box.width / 2 + 1, box.y + box.height / 2);
  await expect.poll(() => tip.innerText()).toMatch(/maximum[\s\S]*93\.3 %[\s\S]*median[\s\S]*minimum/);
});

test("a click pins the step, and the images of that step are shown", async () => {
  await choose("Heatmap");
  await cards().first().locator(".plot").click();
  await expect.poll(() => hash(page)).toMatch(/at=4[05]0/);
  await page
    .getByRole("link", { name: "Images" })
    .or(page.getByRole("tab", { name: "Images" }))
    .first()
    .click();
  await expect.poll(() => page.locator("figcaption").first().innerText()).toMatch(/step 4[05]0/);
});

test("the bands of all runs are in one chart, and the tooltip shows each", async () => {
  page = await open(board, "#histograms&hist.shape=bands");
  await drawn();
  await expect.poll(names).toEqual(["layer.0.weight of bert-s1, bert-s2", "layer.1.weight of bert-s1, bert-s2"]);
  await cards().first().locator(".plot").hover();
  const tip = page.locator(".tip");
  await expect.poll(() => tip.getByRole("row").first().innerText()).toMatch(/bert-s1\s+bert-s2/);
  await expect
    .poll(() =>
      tip
        .getByRole("row", { name: /^median/ })
        .getByRole("cell")
        .count(),
    )
    .toBe(2);
  await page.mouse.move(0, 0);
  await golden(page, "histograms-bands");
});

test("shortcuts select the shape and log counts, and clear the pinned step", async () => {
  for (const shape of ["overlay", "heat"]) {
    await page.keyboard.press("h");
    await expect.poll(() => hash(page)).toContain(`hist.shape=${shape}`);
  }
  await page.keyboard.press("y");
  await expect.poll(() => hash(page)).toContain("hist.log=1");
  await cards().first().locator(".facts .ramp").waitFor();
  await drawn();
  await cards().first().locator(".plot").click();
  await expect.poll(() => hash(page)).toContain("at=");
  await page.keyboard.press("Escape");
  await expect.poll(() => hash(page)).not.toContain("at=");
});

test("log counts and the time axis are in the URL", async () => {
  await page.getByRole("switch", { name: "Log counts" }).click();
  await page.getByRole("button", { name: "X axis step" }).click();
  await page.getByRole("menuitemradio", { name: "relative" }).click();
  await expect.poll(() => hash(page)).toMatch(/hist\.log=1&.*hist\.x=relative/);
  await drawn();
  await page.getByRole("button", { name: "X axis relative" }).click();
  await page.getByRole("menuitemradio", { name: "wall" }).click();
  await expect.poll(() => hash(page)).toContain("hist.x=wall");
  await drawn();
});

test("enlarges a chart, and downloads it as an image and as numbers", async () => {
  await cards().first().hover();
  await page.getByRole("button", { name: "Enlarge layer.0.weight" }).first().click();
  const large = page.getByRole("dialog").getByRole("article");
  await expect.poll(() => ink(large)).toBeGreaterThan(4000);
  const save = (choice: string) => async (): Promise<void> => {
    await large.getByRole("button", { name: "Download layer.0.weight" }).click();
    await page.getByRole("menuitem", { name: choice }).click();
  };
  const svg = await downloaded(page, save("Image, SVG"));
  expect(svg.name).toBe("layer.0.weight-ridge.svg");
  expect(svg.bytes.toString()).toMatch(/<svg[\s\S]*layer\.0\.weight[\s\S]*bert-s1/);
  expect((await downloaded(page, save("Image, PNG"))).bytes.subarray(1, 4).toString()).toBe("PNG");
  const csv = (await downloaded(page, save("Percentiles, CSV"))).bytes.toString().split("\n");
  expect(csv[0]).toBe("step,wall_time,p0,p6.68,p15.87,p30.85,p50,p69.15,p84.13,p93.32,p100");
  expect(csv.slice(1, -1).map((row) => Number(row.split(",")[0]))).toEqual(
    Array.from({ length: 20 }, (_, i) => i * 50),
  );
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#histograms", { colorScheme });
    await drawn();
    await golden(page, `histograms-${colorScheme}`);
    await accessible(page);
  });
});

test("fits a phone", async () => {
  page = await open(board, "#histograms", { viewport: PHONE });
  await drawn();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await golden(page, "histograms-phone");
  await page.getByRole("button", { name: "Shape Ridgeline" }).click();
  await page.getByRole("dialog", { name: "Histograms" }).getByRole("button", { name: "Bands" }).click();
  await expect.poll(() => hash(page)).toContain("hist.shape=bands");
});
