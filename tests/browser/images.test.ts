/* The Images view, used as a person does. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, eventually, hash, open, PHONE } from "./harness";

let board: Board;
let page: Page;

const tile = (run: string): Locator => page.getByRole("button", { name: `Open samples/wave of ${run}` });
const loaded = async (): Promise<void> =>
  eventually(async () => expect(await page.locator("figure img").evaluateAll((all) => all.filter((image) => (image as HTMLImageElement).naturalWidth === 64).length)).toBe(2));

beforeAll(async () => {
  board = await Board.on("things");
});

beforeEach(async () => {
  page = await open(board, "#images");
  await loaded();
});

test("shows both runs at the newest step, and at another when the slider moves", async () => {
  expect(await page.locator("figcaption").first().innerText()).toContain("step 950");
  await page.getByRole("slider", { name: "Step" }).focus();
  await page.keyboard.press("Home");
  await eventually(async () => expect(await page.locator("figcaption").first().innerText()).toContain("step 0"));
  expect(await hash(page)).toContain("img.step=0");
  await page.getByRole("button", { name: "Step after" }).click();
  await eventually(async () => expect(await page.locator("figcaption").first().innerText()).toContain("step 50"));
  await page.goBack();
  await eventually(async () => expect(await page.locator("figcaption").first().innerText()).toContain("step 0"));
});

test("a run that is not ticked is not shown, and a tag that does not match neither", async () => {
  await page.getByRole("row").filter({ hasText: "bert-s2" }).getByRole("checkbox").click();
  await eventually(async () => expect(await page.locator("figure").count()).toBe(1));
  await page.getByRole("searchbox", { name: "Filter tags" }).fill("nothing like it");
  await page.getByText("No tag matches the filter").waitFor();
});

test("opens one at full size, against the other run, and says how far they differ", async () => {
  await tile("bert-s1").click();
  const viewer = page.getByRole("dialog");
  await viewer.getByRole("button", { name: "Against none" }).click();
  await page.getByRole("menuitemradio", { name: "bert-s2" }).click();
  await eventually(async () => expect(await viewer.locator("figure img").count()).toBe(2));
  await viewer.getByRole("button", { name: "Difference" }).click();
  await viewer.getByText("mean 0, largest 0 of 1").waitFor();
  expect(await hash(page)).toContain("img.open");
  await page.keyboard.press("Escape");
  await eventually(async () => expect(await viewer.count()).toBe(0));
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
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
});
