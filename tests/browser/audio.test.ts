/* The Audio tab. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE } from "./harness";

let board: Board;
let page: Page;

const clip = (run: string, step: number): Locator =>
  page.getByRole("button", { name: `Play beep of ${run} at step ${step}`, exact: true });
/** Labels of the clips that are playing or were played last. */
const current = (): Promise<string[]> =>
  page.locator(".clip.mine .wave").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
const outlined = async (): Promise<void> =>
  expect.poll(() => page.getByText("500 ms · 8 kHz").count()).toBeGreaterThanOrEqual(2);

/** Counts how often the page starts to play a clip, and how often a clip ends. */
async function countSounds(): Promise<void> {
  await page.evaluate(() => {
    const counts = { begun: 0, ended: 0 };
    const { play } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.play = function () {
      counts.begun += 1;
      this.addEventListener("ended", () => (counts.ended += 1), { once: true });
      return play.call(this);
    };
    Object.assign(window, { sounds: counts });
  });
}

const sounds = (): Promise<{ begun: number; ended: number }> =>
  page.evaluate(() => (window as unknown as { sounds: { begun: number; ended: number } }).sounds);

beforeAll(async () => {
  board = await Board.on("things");
});

beforeEach(async () => {
  page = await open(board, "#audio", { realTime: true });
  await outlined();
});

test("shows the newest steps of each run, and earlier ones when the slider moves", async () => {
  await clip("bert-s1", 950).waitFor();
  await clip("bert-s2", 900).waitFor();
  await page.getByRole("slider", { name: "Step" }).focus();
  await page.keyboard.press("Home");
  await clip("bert-s1", 0).waitFor();
  await expect.poll(() => clip("bert-s1", 950).count()).toBe(0);
});

test("plays one clip at a time", async () => {
  await countSounds();
  await clip("bert-s1", 950).click();
  await clip("bert-s2", 950).click();
  await expect.poll(() => current()).toEqual([expect.stringContaining("bert-s2")]);
  // If the second clip interrupts the first, its end counts for both.
  await expect.poll(() => sounds()).toEqual({ begun: 2, ended: 2 });
  await clip("bert-s2", 950).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("a shortcut switches to the previous clip", async () => {
  await clip("bert-s1", 950).click();
  await clip("bert-s2", 950).click();
  await expect.poll(() => current()).toEqual([expect.stringContaining("bert-s2")]);
  await page.keyboard.press("x");
  await expect.poll(() => current()).toEqual([expect.stringContaining("bert-s1")]);
});

test("a shortcut plays the clip again", async () => {
  await countSounds();
  await clip("bert-s1", 950).click();
  // While it plays, the same key would pause it.
  await expect.poll(() => sounds()).toEqual({ begun: 1, ended: 1 });
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await clip("bert-s1", 950).waitFor();
  await page.keyboard.press("Space");
  await expect.poll(async () => (await sounds()).begun).toBe(2);
});

test("shows the spectrogram, and downloads clips", async () => {
  await page.getByRole("button", { name: "Show waveform" }).click();
  await page.getByRole("menuitemradio", { name: "both" }).click();
  const colors = (): Promise<number> =>
    page
      .getByLabel("Spectrogram")
      .first()
      .evaluate(
        (canvas: HTMLCanvasElement) =>
          new Set(new Uint32Array(canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data.buffer))
            .size,
      );
  await expect.poll(() => colors()).toBeGreaterThan(3);
  await expect.poll(() => hash(page)).toContain("audio.shown=both");
  const one = await downloaded(page, () =>
    page.getByRole("link", { name: "Download beep of bert-s1 at step 950" }).click(),
  );
  expect(one.name).toBe("beep-950-0.wav");
  expect(one.bytes.subarray(0, 4).toString()).toBe("RIFF");
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#audio", { colorScheme });
    await outlined();
    await golden(page, `audio-${colorScheme}`);
    await accessible(page);
  });
});

test("fits a phone", async () => {
  page = await open(board, "#audio", { viewport: PHONE });
  await outlined();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await golden(page, "audio-phone");
  await page.getByRole("button", { name: "Show waveform" }).click();
  await page.getByRole("dialog", { name: "Audio" }).getByRole("searchbox", { name: "Filter tags" }).waitFor();
});
