/* Charts with many points, tags or runs. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chartCards } from "./chartCards";
import { Board, downloaded, open, settled, steadyBox } from "./harness";

let page: Page;
const { card, plot, ready } = chartCards(() => page);

test("a one-step spike in one of 20 runs of 20 000 points is visible on screen and in the PNG, with smoothing", async () => {
  const own = await Board.on("none");
  own.write(
    "seed-00",
    `import math
for seed in range(20):
    if seed: log = SummaryWriter(f"{sys.argv[1][:-2]}{seed:02}")
    for step in range(20000):
        noise = 0.05 * math.sin(step * 7.1 + seed * step)
        log.add_scalar("loss", 1.9 if (seed, step) == (7, 12134) else 0.7 + 1.8 * math.exp(-step / 1500) + noise, step)`,
  );
  page = await open(own);
  await expect.poll(() => plot("loss").getAttribute("aria-label")).toMatch(/20 lines$/);
  await settled(page);
  /** The share of rows halfway up the spike that have a strong color. Of the image, the box of the plot is given in CSS pixels. */
  const strongRows = (png: Buffer, left: number, top: number, right: number, bottom: number, scale: number) =>
    page.evaluate(
      async ({ bytes, left, top, right, bottom, scale }) => {
        const image = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))]));
        const pen = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
        pen.drawImage(image, 0, 0);
        const x = Math.round((left + (right - left) * (12134 / 19999)) * scale);
        const [from, to] = [0.35, 0.55].map((share) => Math.round((top + (bottom - top) * share) * scale)) as [
          number,
          number,
        ];
        let strong = 0;
        for (let y = from; y < to; y++) {
          const { data } = pen.getImageData(x - 4, y, 9, 1);
          const darkest = Math.min(
            ...Array.from({ length: 9 }, (_, i) => data[4 * i]! + data[4 * i + 1]! + data[4 * i + 2]!),
          );
          if (darkest < 450) strong++;
        }
        return strong / (to - from);
      },
      { bytes: png.toString("base64"), left, top, right, bottom, scale },
    );
  const { width, height } = await steadyBox(plot("loss"));
  expect(await strongRows(await plot("loss").screenshot(), 44, 8, width - 12, height - 24, 1)).toBeGreaterThan(0.9);
  await card("loss").hover();
  await card("loss").getByRole("button", { name: "More" }).click();
  const { bytes } = await downloaded(page, () => page.getByRole("button", { name: "PNG", exact: true }).click());
  expect(await strongRows(bytes, 52, 64, 864, 468, 2)).toBeGreaterThan(0.9);
});

test("a large group starts collapsed, expands with a click or a search, and stays as it was left", async () => {
  const own = await Board.on("one");
  own.write("only", 'for i in range(61): log.add_scalar(f"attention/head{i}", 0.5, 1)');
  page = await open(own);
  await ready();
  const group = page.getByRole("button", { name: "attention 61" });
  await expect.poll(() => group.getAttribute("aria-expanded")).toBe("false");
  await page.getByRole("searchbox", { name: "Filter tags" }).fill("head7");
  await ready("attention/head7");
  await page.getByRole("searchbox", { name: "Filter tags" }).fill("");
  await card("attention/head7").waitFor({ state: "detached" });
  await group.click();
  await ready("attention/head0");
  await page.reload();
  await ready("attention/head0");
  await group.click();
  await card("attention/head0").waitFor({ state: "detached" });
  await ready();
});

test("of ten thousand tags, only the charts near the viewport exist", async () => {
  page = await open(await Board.on("many-tags"));
  await ready("layer0/weight0");
  const scroll = page.getByRole("region", { name: "Charts by group" });
  await expect.poll(() => page.locator("[data-card]").count()).toBeLessThan(30);
  await scroll.evaluate((node) => (node.scrollTop = node.scrollHeight / 2));
  await page.locator('[data-card^="layer4"], [data-card^="layer5"]').first().waitFor();
  await expect.poll(() => page.locator("[data-card]").count()).toBeLessThan(40);
  await page.getByRole("searchbox", { name: "Filter tags" }).fill("layer99/weight99");
  await ready("layer99/weight99");
  await expect.poll(() => page.locator("[data-card]").count()).toBe(1);
});

test("of a thousand runs, some are lines and the others a density, and the chart says so", async () => {
  page = await open(await Board.on("thousand"));
  await ready();
  await expect.poll(() => card("train/loss").innerText()).toMatch(/60 lines \+ density of 940/);
});
