/* Golden screens. Compared in squares of 8 × 8 pixels by their mean color: another build of Chromium draws letters a little
   differently and passes, a card that moved does not. `UPDATE_GOLDEN=1` writes them anew; a failure leaves what was seen in build/. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { ROOT, settled } from "./harness";

const FOLDER = fileURLToPath(new URL("golden/", import.meta.url));
const SEEN = join(ROOT, "build/browser");
const SQUARE_PX = 8;
/** Of 255, per channel. */
const SQUARE_TOLERANCE = 16;
const MOST_DIFFERENT = 0.005;
/** Charts are drawn a few a frame: a screen that is not yet right may become so. */
const DRAWN_MS = 30_000;

export async function golden(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await settled(page);
  const path = join(FOLDER, `${name}.png`);
  if (process.env.UPDATE_GOLDEN) return void writeFileSync(path, await screen(page, 30));
  const end = Date.now() + DRAWN_MS;
  let seen: Buffer = Buffer.alloc(0);
  let share = 1;
  while (share > MOST_DIFFERENT && Date.now() < end) {
    seen = await screen(page, 6);
    share = await difference(page, readFileSync(path), seen);
  }
  if (share > MOST_DIFFERENT) {
    mkdirSync(SEEN, { recursive: true });
    writeFileSync(join(SEEN, `${name}.png`), seen);
  }
  expect(share, `share of ${name} that differs; see build/browser/${name}.png`).toBeLessThanOrEqual(MOST_DIFFERENT);
}

async function screen(page: Page, frames: number): Promise<Buffer> {
  await page.evaluate(async (frames) => {
    for (let i = 0; i < frames; i++) await new Promise(requestAnimationFrame);
  }, frames);
  return page.screenshot({ animations: "disabled", caret: "hide" });
}

/** The share of squares that differ, measured in the browser: it has a PNG decoder. A blank page, because the board's CSP forbids data: there. */
async function difference(page: Page, before: Buffer, after: Buffer): Promise<number> {
  const blank = await page.context().newPage();
  try {
    return await blank.evaluate(compare, {
      images: [before, after].map((image) => `data:image/png;base64,${image.toString("base64")}`),
      square: SQUARE_PX,
      tolerance: SQUARE_TOLERANCE,
    });
  } finally {
    await blank.close();
  }
}

async function compare({
  images,
  square,
  tolerance,
}: {
  images: string[];
  square: number;
  tolerance: number;
}): Promise<number> {
  const loaded = await Promise.all(images.map(async (source) => createImageBitmap(await (await fetch(source)).blob())));
  const [a, b] = loaded;
  if (a?.width !== b?.width || a?.height !== b?.height) return 1;
  const [x, y] = loaded.map((image) => {
    const canvas = new OffscreenCanvas(Math.ceil(image.width / square), Math.ceil(image.height / square));
    const context = canvas.getContext("2d")!;
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  }) as [Uint8ClampedArray, Uint8ClampedArray];
  let different = 0;
  for (let i = 0; i < x.length; i += 4) {
    if ([0, 1, 2].some((channel) => Math.abs((x[i + channel] ?? 0) - (y[i + channel] ?? 0)) > tolerance))
      different += 1;
  }
  return different / (x.length / 4);
}
