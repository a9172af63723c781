/* Media at the step under the pointer, hostile tags, and how much script a tab loads. */
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { Board, eventually, hash, open, settled, steadyBox } from "./harness";

const HOSTILE = '<img src=x onerror=alert(1)>"&lt;b>';

let board: Board;
let page: Page;

beforeAll(async () => {
  board = await Board.on("things");
  board.log(
    "bert-s1",
    "train/loss",
    Array.from({ length: 951 }, (_, i) => 1 / (i + 1)),
  );
});

test("a button of the toolbar shows and hides the media at a step", async () => {
  page = await open(board, "#charts");
  const panel = page.getByRole("complementary", { name: "Media at this step" });
  const button = page.getByRole("button", { name: "Show media at this step" });
  await button.click();
  await panel.waitFor();
  await expect.poll(() => button.getAttribute("aria-pressed")).toBe("true");
  await button.click();
  await panel.waitFor({ state: "detached" });
});

test("hovering over a step of a chart shows the images, histograms, texts and clips at that step", async () => {
  page = await open(board, "#charts", { realTime: true });
  const plot = page.locator("article .plot").first();
  await expect.poll(() => plot.getAttribute("aria-label")).toMatch(/\d lines?$/);
  const box = await steadyBox(plot);
  const pointAt = (share: number): Promise<void> => page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
  await pointAt(0.5);
  await page.keyboard.press("v");
  const panel = page.getByRole("complementary", { name: "Media at this step" });
  /** The step in the header and the step of the first image, read at one moment. */
  const steps = (): Promise<{ header: number; image: number }> =>
    panel.evaluate((aside) => {
      const read = (selector: string, step: RegExp): number =>
        Number(step.exec(aside.querySelector<HTMLElement>(selector)?.innerText ?? "")?.[1]);
      return { header: read("header b", /^Step (\d+)$/), image: read("figcaption em", /step (\d+)/) };
    });
  for (const share of [0.6, 0.3]) {
    await pointAt(share);
    await eventually(async () => {
      const { header, image } = await steps();
      expect(Math.abs(header - 950 * share)).toBeLessThan(150);
      expect(image).toBe(Math.floor(header / 50) * 50);
    });
  }
  await panel
    .getByRole("article", { name: /^layer/ })
    .first()
    .waitFor();
  await panel
    .getByRole("article", { name: /^report/ })
    .first()
    .waitFor();
  await panel
    .getByRole("button", { name: /^Play beep/ })
    .first()
    .waitFor();
  await expect.poll(() => hash(page)).toContain("beside=1");
  await panel.getByRole("button", { name: "Images" }).click();
  await expect.poll(() => hash(page)).toMatch(/^#images.*at=\d+/);
});

test("hostile tags are text in every tab", async () => {
  const own = await Board.on("things");
  own.write(
    "hostile",
    `import numpy as np; tag = ${JSON.stringify(HOSTILE)}; log.add_histogram(tag, [1.0, 2.0], 0); log.add_image(tag, np.zeros((3, 8, 8)), 0); log.add_text(tag, tag, 0); log.add_audio(tag, np.zeros(800), 0, sample_rate=8000)`,
  );
  page = await open(own, "#images", { realTime: true });
  for (const view of ["images", "histograms&hist.run=each", "text", "audio"]) {
    await page.goto(`${own.url}#${view}`);
    await page.getByText(HOSTILE, { exact: false }).first().waitFor();
    await settled(page);
    expect(await page.locator('img[src="x"], [onerror], main script').count()).toBe(0);
  }
});

test.each(["images", "histograms", "text", "audio"])(
  "the %s tab loads at most 200 KB compressed in addition to the shell",
  async (view) => {
    page = await open(board, `#${view}`, { realTime: true });
    await page.locator("section.view").waitFor();
    await settled(page);
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    const urls = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    const scripts = urls.filter((url) => new URL(url).pathname.endsWith(".js") && !url.includes("/shell-"));
    const sizes = await Promise.all(
      scripts.map(async (url) => gzipSync(await (await fetch(url)).text(), { level: 9 }).length),
    );
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200 * 1024);
  },
);
