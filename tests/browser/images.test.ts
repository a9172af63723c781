/* The Images tab. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE } from "./harness";

let board: Board;
let page: Page;

const tile = (run: string): Locator => page.getByRole("button", { name: `Open samples/wave of ${run}` });
const loaded = async (): Promise<void> =>
  expect
    .poll(() =>
      page
        .locator("figure img")
        .evaluateAll((all) => all.filter((image) => (image as HTMLImageElement).naturalWidth === 64).length),
    )
    .toBe(2);

const caption = (): Promise<string> => page.locator("figcaption").first().innerText();

beforeAll(async () => {
  board = await Board.on("things");
});

beforeEach(async () => {
  page = await open(board, "#images");
  await loaded();
});

test("shows both runs at the newest step, and at another when the slider moves", async () => {
  await expect.poll(() => caption()).toContain("step 950");
  await page.getByRole("slider", { name: "Step" }).focus();
  await page.keyboard.press("Home");
  await expect.poll(() => caption()).toContain("step 0");
  await expect.poll(() => hash(page)).toContain("img.step=0");
  await page.getByRole("button", { name: "Next step" }).click();
  await expect.poll(() => caption()).toContain("step 50");
  await page.goBack();
  await expect.poll(() => caption()).toContain("step 0");
});

test("shows only selected runs and matching tags", async () => {
  await page.getByRole("row").filter({ hasText: "bert-s2" }).getByRole("checkbox").click();
  await expect.poll(() => page.locator("figure").count()).toBe(1);
  await page.getByRole("searchbox", { name: "Filter tags" }).fill("nothing like it");
  await page.getByText("No results for “nothing like it”").waitFor();
  await page.getByRole("button", { name: "Clear filter" }).click();
  await expect.poll(() => page.locator("figure").count()).toBe(1);
});

test("shortcuts move between steps, and Play does so by itself", async () => {
  await page.keyboard.press("[");
  await expect.poll(() => caption()).toContain("step 900");
  await page.keyboard.press("]");
  await expect.poll(() => caption()).toContain("step 950");
  await page.getByRole("button", { name: "Play the steps" }).click();
  await expect.poll(() => caption()).not.toContain("step 950");
  await page.keyboard.press(".");
  await page.getByRole("button", { name: "Play the steps" }).waitFor();
  await expect.poll(() => hash(page)).toContain("img.step=");
  await page.keyboard.press("End");
  await expect.poll(() => caption()).toContain("step 950");
});

test("images can have independent steps", async () => {
  await page.getByRole("switch", { name: "Independent steps" }).click();
  await page.getByRole("slider", { name: "Step of bert-s1" }).focus();
  await page.keyboard.press("Home");
  await expect
    .poll(() => page.locator("figcaption em").allInnerTexts())
    .toEqual([expect.stringContaining("step 0"), expect.stringContaining("step 950")]);
});

const filterOfFirstImage = (): Promise<string> =>
  page
    .locator("figure img")
    .first()
    .evaluate((image) => getComputedStyle(image).filter);

test("brightness and contrast apply to all images, and are reset together", async () => {
  await page.getByRole("button", { name: "Brightness and contrast", exact: true }).click();
  await page.getByRole("slider", { name: "Brightness" }).fill("1.5");
  await page.getByRole("slider", { name: "Contrast" }).fill("2");
  await expect.poll(filterOfFirstImage).toBe("brightness(1.5) contrast(2)");
  await page.getByRole("button", { name: "Reset brightness and contrast" }).click();
  await expect.poll(filterOfFirstImage).toBe("none");
});

test("downloads images as a zip, named by run, tag, step and sample", async () => {
  const save = (choice: string) => async (): Promise<void> => {
    await page.getByRole("button", { name: "Download images" }).click();
    await page.getByRole("menuitem", { name: choice }).click();
  };
  const shown = await downloaded(page, save("Visible images"));
  expect(shown.name).toBe("images.zip");
  expect(shown.bytes.subarray(0, 2).toString()).toBe("PK");
  for (const run of ["bert-s1", "bert-s2"]) expect(shown.bytes.includes(`${run}/samples/wave/950/0.png`)).toBe(true);
  expect(shown.bytes.includes("samples/wave/900/")).toBe(false);
  expect(
    (await downloaded(page, save("All steps of these images"))).bytes.includes("bert-s2/samples/wave/0/0.png"),
  ).toBe(true);
});

test("opens an image, and zooms to its pixels and their grid", async () => {
  await tile("bert-s1").click();
  const viewer = page.getByRole("dialog");
  const image = viewer.getByRole("img", { name: "samples/wave at step 950" });
  const zoom = async (to: string): Promise<void> => {
    await viewer.getByRole("button", { name: /^Zoom/ }).click();
    await page.getByRole("menuitemradio", { name: to, exact: true }).click();
  };
  await zoom("actual size");
  await expect.poll(() => image.boundingBox()).toMatchObject({ width: 64, height: 48 });
  await expect.poll(() => viewer.locator(".grid").count()).toBe(0);
  await zoom("8×");
  await expect.poll(() => image.boundingBox()).toMatchObject({ width: 512, height: 384 });
  await expect.poll(() => viewer.locator(".grid").count()).toBe(1);
  await viewer.getByRole("switch", { name: "Pixel grid" }).click();
  await expect.poll(() => viewer.locator(".grid").count()).toBe(0);
  await expect.poll(() => hash(page)).toContain("img.grid=0");
  await page.keyboard.press("g");
  await expect.poll(() => viewer.locator(".grid").count()).toBe(1);
  await image.hover();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 100);
  await expect.poll(() => image.boundingBox()).toMatchObject({ width: 256, height: 192 });
  await page.mouse.wheel(0, -100);
  await expect.poll(() => image.boundingBox()).toMatchObject({ width: 512, height: 384 });
  await page.keyboard.up("Control");
  await viewer.getByRole("button", { name: "Close" }).focus();
  await page.keyboard.press("-");
  await expect.poll(() => image.boundingBox()).toMatchObject({ width: 256, height: 192 });
  await page.keyboard.press("1");
  await expect.poll(() => image.boundingBox()).toMatchObject({ width: 64, height: 48 });
  await page.keyboard.press("ArrowLeft");
  await viewer.getByRole("img", { name: "samples/wave at step 900" }).waitFor();
  const one = await downloaded(page, () => viewer.getByRole("link", { name: "Download this image" }).click());
  expect(one.name).toBe("samples-wave-900-0.png");
  expect(one.bytes.subarray(1, 4).toString()).toBe("PNG");
});

test("compares with another run or step: side by side, by wipe, by blinking, by difference", async () => {
  await tile("bert-s1").click();
  const viewer = page.getByRole("dialog");
  const against = async (name: string): Promise<void> => {
    await viewer.getByRole("button", { name: /^Compare with/ }).click();
    await page.getByRole("menuitemradio", { name }).click();
  };
  await against("bert-s2");
  await expect.poll(() => viewer.getByRole("img").count()).toBe(2);
  await viewer.getByRole("button", { name: "Wipe" }).click();
  await viewer.getByRole("slider", { name: "Wipe" }).fill("0.25");
  await expect
    .poll(() =>
      viewer
        .getByRole("img")
        .nth(1)
        .evaluate((image) => getComputedStyle(image).clipPath),
    )
    .toBe("inset(0px 75% 0px 0px)");
  await viewer.getByRole("button", { name: "Blink" }).click();
  await expect.poll(() => viewer.getByRole("img").count()).toBe(1);
  const source = (): Promise<string | null> => viewer.getByRole("img").getAttribute("src");
  const first = await source();
  await expect.poll(() => source()).not.toBe(first);
  await viewer.getByRole("button", { name: "Difference" }).click();
  await viewer.getByText("equal", { exact: true }).waitFor();
  await against("first step");
  await viewer.getByText(/ dB$/).waitFor();
  await expect.poll(() => hash(page)).toMatch(/img\.open.*img\.vs=first step&img\.way=difference/);
  await page.keyboard.press("Escape");
  await expect.poll(() => viewer.count()).toBe(0);
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#images", { colorScheme });
    await loaded();
    await golden(page, `images-${colorScheme}`);
    await accessible(page);
  });
});

test("fits a phone", async () => {
  page = await open(board, "#images", { viewport: PHONE });
  await loaded();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await golden(page, "images-phone");
  await page.getByRole("button", { name: "Size medium" }).first().click();
  const sheet = page.getByRole("dialog", { name: "Images" });
  await sheet.getByRole("searchbox", { name: "Filter tags" }).fill("nothing like it");
  await sheet.getByRole("button", { name: "Close" }).click();
  await page.getByText("No results for").waitFor();
});

test("a long tag beside empty space is not cut", async () => {
  const own = await Board.on("one");
  own.write(
    "only",
    'import numpy as np; log.add_image("validation/reconstructions_of_the_first_batch/epoch_mean", np.zeros((3, 8, 8)), 1)',
  );
  page = await open(own, "#images", { realTime: true });
  const title = page.getByRole("heading", { name: /epoch_mean/ });
  const cut = () => title.evaluate((h2) => [...h2.children].some((part) => part.scrollWidth > part.clientWidth));
  await title.waitFor();
  await expect.poll(cut).toBe(false);
});
