/* The Tensors tab. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE, steadyBox } from "./harness";

const ATTENTION = "#tensors&tensors.tag=debug/attention";

let board: Board;
let page: Page;

const plot = (): Locator => page.getByRole("img", { name: /^Heatmap of/ });
const panel = (): Locator => page.getByRole("complementary", { name: "Statistics" });
const choose = (tag: string): Promise<void> => page.getByRole("button", { name: tag, exact: true }).click();

/** Waits for the heatmap, its statistics, and their history. */
async function drawn(): Promise<void> {
  await plot().waitFor();
  await panel()
    .getByRole("img", { name: /^std by step/ })
    .waitFor();
}

beforeAll(async () => {
  board = await Board.on("tensors");
});

beforeEach(async () => {
  page = await open(board, ATTENTION);
  await drawn();
});

test("lists the tensors with their shapes and types", async () => {
  const rows = page.getByRole("region", { name: "List of tensors" }).getByRole("row");
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([
      "Tensor\tshape\ttype\tsteps",
      "debug/attention\t[3, 4, 48, 48]\tfloat32\t5",
      "debug/large\t[600, 500]\tfloat64\t1",
      "debug/logits\t[32, 2]\tfloat32\t5",
      "label_names\t[2]\tstring\t1",
      "only_metadata\t\t–\t1",
    ]);
});

test("shows the element under the pointer, by its index", async () => {
  await page.getByRole("spinbutton", { name: "Position on axis 1, of 4" }).fill("2");
  await expect.poll(() => hash(page)).toContain("tensors.index=");
  const box = await steadyBox(plot());
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(() => page.locator(".tip").innerText()).toMatch(/^\[0, 2, \d+, \d+\]\s+[01]\.\d+$/);
});

test("shows any two axes", async () => {
  await page.getByRole("button", { name: "Show axis 0" }).click();
  await expect.poll(() => page.getByRole("group", { name: "Index" }).innerText()).toMatch(/: 3[\s\S]*: 48/);
  await expect.poll(() => page.getByRole("spinbutton").count()).toBe(2);
});

test("statistics are those of the slice, or of the whole tensor", async () => {
  const elements = (): Locator => panel().locator("dd").last();
  await expect.poll(() => elements().innerText()).toBe("2304");
  await panel().getByRole("button", { name: "tensor", exact: true }).click();
  await expect.poll(() => elements().innerText()).toBe("27\u2009648");
  await choose("debug/logits");
  await expect.poll(() => panel().locator("dd.bad").innerText()).toBe("1");
});

test("the table has the elements, page by page", async () => {
  await page.keyboard.press("h");
  const table = page.getByRole("region", { name: "Elements" });
  await expect.poll(() => table.getByRole("row").count()).toBe(49);
  await page.getByRole("button", { name: "Next columns" }).click();
  await expect.poll(() => table.getByRole("columnheader").first().innerText()).toBe("16");
  await choose("label_names");
  await expect.poll(() => table.getByRole("cell").allInnerTexts()).toEqual(expect.arrayContaining(["<b>anger</b>"]));
});

test("a large tensor is reduced, and a drag zooms to its elements", async () => {
  await choose("debug/large");
  await page.getByText("600 × 500 elements; each cell is the mean of several.").waitFor();
  const box = await steadyBox(plot());
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 + 60, { steps: 3 });
  await page.mouse.up();
  await expect.poll(() => hash(page)).toContain("tensors.zoom=");
  await page.getByText("600 × 500 elements; each cell is the mean of several.").waitFor({ state: "detached" });
  await page.keyboard.press("0");
  await expect.poll(() => hash(page)).not.toContain("tensors.zoom=");
});

test("a point without a tensor says so", async () => {
  await choose("only_metadata");
  await expect.poll(() => page.getByRole("alert").innerText()).toContain("has no tensor, only metadata");
});

test("downloads a NumPy file", async () => {
  const file = await downloaded(page, async () => {
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByRole("menuitem", { name: /NumPy file/ }).click();
  });
  expect(file.name).toBe("debug-attention-400.npy");
  expect(file.bytes.subarray(1, 6).toString()).toBe("NUMPY");
  expect(file.bytes.length).toBe(128 + 4 * 3 * 4 * 48 * 48);
});

test("the shared step and shortcuts", async () => {
  await page.keyboard.press("[");
  await expect.poll(() => hash(page)).toContain("tensors.step=300");
  await page.keyboard.press("j");
  await expect.poll(() => hash(page)).toContain("tensors.tag=debug/large");
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, ATTENTION, { colorScheme });
    await drawn();
    await golden(page, `tensors-${colorScheme}`);
    await accessible(page);
  });
});

test("fits a phone", async () => {
  page = await open(board, ATTENTION, { viewport: PHONE });
  await drawn();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await golden(page, "tensors-phone");
});
