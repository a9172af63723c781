/* The Embeddings tab. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE, steadyBox } from "./harness";

let board: Board;
let page: Page;

const plot = (): Locator => page.getByRole("application", { name: /^Projection of/ }).first();
const panel = (): Locator => page.getByRole("complementary", { name: "Details" });
const method = (name: string): Locator =>
  page.getByRole("group", { name: "Projection" }).getByRole("button", { name, exact: false });

/** Returns how many pixels of a plot differ from its corner, which has the color of the surface. */
const ink = (): Promise<number> =>
  plot()
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      const pixels = new Uint32Array(data.buffer);
      return pixels.reduce((sum, pixel) => sum + (pixel === pixels[0] ? 0 : 1), 0);
    });

/** Waits for the points. */
async function drawn(): Promise<void> {
  await expect.poll(ink).toBeGreaterThan(200);
}

/** Moves over the plot until a point is under the pointer, and returns where it is. */
async function findPoint(): Promise<{ x: number; y: number }> {
  const box = await steadyBox(plot());
  for (let y = 0.2; y < 0.8; y += 0.03)
    for (let x = 0.2; x < 0.8; x += 0.03) {
      const at = { x: box.x + x * box.width, y: box.y + y * box.height };
      await page.mouse.move(at.x, at.y);
      if (await plot().locator(".tip").isVisible()) return at;
    }
  throw new Error("No point was found.");
}

beforeAll(async () => {
  board = await Board.on("embeddings");
});

beforeEach(async () => {
  page = await open(board, "#embeddings");
  await drawn();
});

test("shows a PCA with its explained variance, and the categories of the labels", async () => {
  await expect
    .poll(() =>
      panel()
        .getByText(/^\d+\.\d %$/)
        .first()
        .innerText(),
    )
    .toMatch(/^\d/);
  const legend = page.getByRole("group", { name: "Categories of label" });
  expect(await legend.getByRole("button").allInnerTexts()).toEqual(["anger\n80", "fear\n80", "joy\n80"]);
  await panel().getByText("240 points × 16 dimensions, 3 steps").waitFor();
});

test("a click on a category hides its points", async () => {
  const before = await ink();
  await page.getByRole("button", { name: "joy" }).click();
  await expect.poll(ink).toBeLessThan(before * 0.85);
  expect(hash(page)).toContain("emb.off=[2]");
});

test("a click on a point lists its neighbors, and a neighbor can be selected in turn", async () => {
  const { x, y } = await findPoint();
  await page.mouse.click(x, y);
  await panel().getByRole("heading", { name: "Selected point" }).waitFor();
  const neighbors = panel().getByRole("list", { name: "Neighbors" }).getByRole("listitem");
  await expect.poll(() => neighbors.count()).toBe(50);
  await panel()
    .getByText(/\d+ of 50 neighbors share its label/)
    .waitFor();
  const label = await neighbors.first().locator("span").innerText();
  await neighbors.first().getByRole("button").click();
  await expect.poll(() => panel().locator(".label").innerText()).toBe(label);
  await page.keyboard.press("Escape");
  await expect.poll(() => panel().getByRole("heading", { name: "Selected point" }).count()).toBe(0);
});

test("a lasso selects points, which can be isolated and exported", async () => {
  const box = await steadyBox(plot());
  await page.getByRole("button", { name: "Lasso" }).click();
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.mouse.down();
  for (const [x, y] of [
    [0.99, 0.01],
    [0.99, 0.5],
    [0.01, 0.5],
  ] as const)
    await page.mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 5 });
  await page.mouse.up();
  const count = panel().getByRole("heading", { name: "Selection" }).locator("..").locator("dd").first();
  await expect.poll(async () => Number(await count.innerText())).toBeGreaterThan(20);
  const selected = Number(await count.innerText());
  const before = await ink();
  await panel().getByRole("button", { name: "Only these" }).click();
  await expect.poll(ink).toBeLessThan(before);
  const csv = await downloaded(page, () => panel().getByRole("button", { name: "Export" }).click());
  const lines = csv.bytes.toString().trimEnd().split("\n");
  expect(csv.name).toBe("cls-step100-selection.csv");
  expect(lines[0]).toBe("row,x,y,selected,text,label,score");
  expect(lines.length).toBe(selected + 1);
});

test("a search marks the points whose labels match words or an expression", async () => {
  const field = page.getByRole("searchbox", { name: "Search labels" });
  await field.fill("anger sentence");
  await page.getByText("80 found").waitFor();
  await field.fill("sentence 1\\d on");
  await page.getByText("10 found").waitFor();
  await field.fill("(");
  await page.getByText("0 found").waitFor();
});

test("points move with the step, and keep their place in the picture", async () => {
  await panel().getByText("Moved most since the first step").waitFor();
  const steps = page.getByRole("slider", { name: "Step" });
  await steps.press("Home");
  await page.getByRole("application", { name: "Projection of cls at step 0" }).waitFor();
  expect(await panel().getByText("Moved most since the first step").count()).toBe(0);
  await panel()
    .getByRole("button", { name: /^Go to step 50/ })
    .click();
  await page.getByRole("application", { name: "Projection of cls at step 50" }).waitFor();
});

test.each(["UMAP", "t-SNE"])("%s is computed in the background and shown when it is there", async (name) => {
  await method(name).click();
  await expect.poll(() => method(name).getAttribute("aria-pressed")).toBe("true");
  await expect.poll(() => page.getByRole("progressbar").count(), { timeout: 60_000 }).toBe(0);
  await drawn();
  expect(await panel().getByText("Explained variance").count()).toBe(0);
});

test("custom axes run between the points that two texts find", async () => {
  await method("Custom axes").click();
  await page.getByText("Name labels for the left, right, lower and upper end below.").waitFor();
  for (const [end, text] of [
    ["Left", "joy"],
    ["Right", "anger"],
    ["Down", "fear"],
    ["Up", "joy"],
  ] as const) {
    await page.getByRole("textbox", { name: end }).fill(text);
    await page.getByRole("textbox", { name: end }).press("Enter");
  }
  await expect.poll(() => page.getByText("Name labels for the left").count()).toBe(0);
  await drawn();
});

test("in three dimensions a drag turns the points, and the URL has the camera", async () => {
  await page.getByRole("button", { name: "3D" }).click();
  await drawn();
  const box = await steadyBox(plot());
  await page.mouse.move(box.x + 300, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 250, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => hash(page)).toMatch(/emb.camera=.*"yaw":/);
  await plot().focus();
  await page.keyboard.press("0");
  await expect.poll(() => hash(page)).not.toContain("emb.camera");
});

test("two runs are side by side, with one selection", async () => {
  await page.getByRole("button", { name: "Beside" }).click();
  await page
    .getByRole("menuitemradio", { name: "bert-s2" })
    .or(page.getByRole("menuitem", { name: "bert-s2" }))
    .click();
  await expect.poll(() => page.getByRole("application", { name: /^Projection of/ }).count()).toBe(2);
  await drawn();
});

test("labels that do not fit the tensor are named, and the points still shown", async () => {
  page = await open(board, "#embeddings&emb.tag=short&emb.run=" + (await board.runId("pixels")));
  await panel().getByText("The metadata has 2 rows and the tensor 9").waitFor();
  await drawn();
});

test("thumbnails take the place of points", async () => {
  page = await open(board, "#embeddings&emb.tag=images&emb.run=" + (await board.runId("pixels")));
  await drawn();
  const thumbnails = page.getByRole("switch", { name: "Thumbnails" });
  await expect.poll(() => thumbnails.getAttribute("aria-checked")).toBe("true");
  await expect.poll(ink).toBeGreaterThan(4000);
  await thumbnails.click();
  await expect.poll(ink).toBeLessThan(4000);
});

test("a picture is saved as PNG and SVG", async () => {
  for (const format of ["PNG", "SVG"]) {
    await page.getByRole("button", { name: "Download" }).click();
    const file = await downloaded(page, () => page.getByRole("menuitem", { name: `Picture, ${format}` }).click());
    expect(file.name).toBe(`cls-step100.${format.toLowerCase()}`);
    expect(file.bytes.length).toBeGreaterThan(2000);
  }
});

test("a step that is logged while the page is open appears", async () => {
  const own = await Board.on("embeddings");
  page = await open(own, "#embeddings");
  await drawn();
  const rows = "__import__('numpy').random.default_rng(0).normal(size=(240, 16))";
  const labels = "[[str(row), 'ab'[row % 2], '0'] for row in range(240)]";
  own.write(
    "bert-s1",
    `log.add_embedding(${rows}, metadata=${labels}, global_step=200, tag="cls", metadata_header=["text", "label", "score"])`,
  );
  await page.getByRole("application", { name: "Projection of cls at step 200" }).waitFor();
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#embeddings&emb.row=7", { colorScheme });
    await drawn();
    await expect.poll(() => panel().getByRole("list", { name: "Neighbors" }).getByRole("listitem").count()).toBe(50);
    await panel().getByText("Moved most since the first step").waitFor();
    await golden(page, `embeddings-${colorScheme}`);
    await accessible(page);
  });
});

test("looks as it should on a phone", async () => {
  page = await open(board, "#embeddings", { viewport: PHONE });
  await drawn();
  await panel().getByText("Moved most since the first step").waitFor();
  await golden(page, "embeddings-phone");
});
