/* The Graph tab, on the graph of a real BERT with 12 layers. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, expectProblems, hash, open, PHONE, steadyBox } from "./harness";

let board: Board;
let page: Page;

const plot = (): Locator => page.getByRole("tree", { name: /^Graph of/ });
const box = (name: string | RegExp): Locator => page.getByRole("treeitem", { name });
const panel = (): Locator => page.getByRole("complementary", { name: "Details" });
const paths = (): Promise<string[]> =>
  page.getByRole("treeitem").evaluateAll((items) => items.map((item) => (item as HTMLElement).dataset.path!));
const isSelected = (path: string): Promise<string | null> =>
  page.locator(`[data-path="${path}"]`).getAttribute("aria-selected");

/** Clicks a place of a box, which the canvas draws and hits by itself. */
async function click(item: Locator, dx = 0.3): Promise<void> {
  const { x, y, width } = await steadyBox(item);
  await page.mouse.click(x + width * dx, y + 8);
}

async function toggle(item: Locator): Promise<void> {
  const isOpen = (await item.getAttribute("aria-expanded")) === "true";
  const { x, y, width } = await steadyBox(item);
  await page.mouse.click(isOpen ? x + 12 : x + width - 10, y + 12);
  await expect.poll(() => item.getAttribute("aria-expanded")).toBe(String(!isOpen));
}

beforeAll(async () => {
  board = await Board.on("graphs");
});

beforeEach(async () => {
  page = await open(board, `#graphs&graph.run=${await board.runId("bert-s1")}`);
  await box(/^pooler/).waitFor();
});

test("the first picture shows the parts of the model, with equal layers as one box", async () => {
  expect(await paths()).toEqual([
    "input_ids",
    "attention_mask.1",
    "output.1",
    "bert",
    expect.stringMatching(/^classifier\//),
    "bert/embeddings",
    "bert/3368",
    "bert/attention_mask.5",
    "bert/encoder/layer.0",
    "bert/pooler",
    "bert/encoder/layer.0/attention",
    "bert/encoder/layer.0/intermediate",
    "bert/encoder/layer.0/output",
  ]);
  await box(/^encoder\.layer ×12, 144 ops/).waitFor();
  await panel().getByText("109 483 778").waitFor();
});

test("a scope unfolds and folds in place, and the URL keeps what is open", async () => {
  const attention = box(/^attention,/);
  const before = await steadyBox(attention);
  await toggle(attention);
  await box(/^self/).waitFor();
  const after = await steadyBox(attention);
  expect(Math.abs(after.y - before.y)).toBeLessThan(2);
  expect(Math.abs(after.x + after.width / 2 - before.x - before.width / 2)).toBeLessThan(2);
  expect(hash(page)).toContain("graph.open=");
  await page.reload();
  await box(/^self/).waitFor();
  await toggle(attention);
  await expect.poll(() => box(/^self/).count()).toBe(0);
});

test("another of the equal layers is one click away, with the same parts open", async () => {
  const layers = await steadyBox(box(/^encoder\.layer/));
  const { width } = await steadyBox(box(/^bert/));
  const scale = layers.width / (await box(/^encoder\.layer/).evaluate((item) => item.clientWidth));
  expect(width).toBeGreaterThan(layers.width);
  await page.mouse.click(layers.x + layers.width - (16 + 8) * scale, layers.y + 16 * scale);
  await expect.poll(paths).toContain("bert/encoder/layer.11/attention");
  expect(hash(page)).toContain("graph.member=");
});

test("equal layers can be shown one by one", async () => {
  await click(box(/^encoder\.layer/));
  await panel().getByRole("button", { name: "Show all 12" }).click();
  await expect.poll(async () => (await paths()).filter((path) => /layer\.\d+$/.test(path)).length).toBe(12);
});

test("the panel shows operation, shapes, parameters and neighbors, and leads to them", async () => {
  await click(box(/^classifier/));
  await panel().getByText("aten::linear").waitFor();
  await panel().getByText("2 × 768").first().waitFor();
  const parameters = panel().getByRole("row");
  expect(await parameters.allInnerTexts()).toEqual(["weight\t2 × 768\t1.54 k", "bias\t2\t2"]);
  await panel()
    .getByRole("button", { name: /bert\/pooler/ })
    .click();
  await expect.poll(paths).toContain("bert/pooler/dense/activation".slice(0, 11));
  await expect.poll(() => hash(page)).toContain("graph.node=");
  await page.keyboard.press("Escape");
  await panel().getByText("nodes logged").waitFor();
});

test("a search unfolds the way to what it finds", async () => {
  const field = page.getByRole("searchbox", { name: "Search nodes" });
  await field.fill("layer.7 attention query");
  await page.getByText(/^\s*\d+ found/).waitFor();
  await page.getByRole("button", { name: "Next result" }).click();
  await expect
    .poll(async () => (await paths()).some((path) => path.includes("layer.7/attention/self/query")))
    .toBe(true);
  await panel().getByRole("heading", { name: /query/ }).waitFor();
  await page.getByText(/1 of \d/).waitFor();
  await field.fill("no such node");
  await page.getByText("0 found").waitFor();
});

test("arrow keys follow the edges, Enter folds and unfolds", async () => {
  await plot().focus();
  await page.keyboard.press("ArrowDown");
  const way = [];
  for (let i = 0; i < 4; i++) {
    way.push((await page.locator('[aria-selected="true"]').getAttribute("data-path"))!);
    await page.keyboard.press("ArrowDown");
  }
  expect(way.slice(1)).toEqual(["bert", "bert/embeddings", "bert/encoder/layer.0"]);
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => isSelected("bert/attention_mask.5")).toBe("true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => isSelected("bert/embeddings")).toBe("true");
  await page.keyboard.press("Enter");
  await box(/^word_embeddings/).waitFor();
});

test("the picture moves and zooms by mouse and keys", async () => {
  const before = await steadyBox(box(/^pooler/));
  const { x, y } = await steadyBox(plot());
  await page.mouse.move(x + 30, y + 300);
  await page.mouse.down();
  await page.mouse.move(x + 130, y + 340, { steps: 3 });
  await page.mouse.up();
  const moved = await steadyBox(box(/^pooler/));
  expect([Math.round(moved.x - before.x), Math.round(moved.y - before.y)]).toEqual([100, 40]);
  await plot().focus();
  await page.keyboard.press("+");
  await expect.poll(async () => (await steadyBox(box(/^pooler/))).width).toBeGreaterThan(moved.width * 1.2);
  await page.keyboard.press("0");
  await expect.poll(async () => (await steadyBox(box(/^pooler/))).width).toBeLessThanOrEqual(before.width + 1);
});

test("a trace dims what a box does not depend on", async () => {
  await click(box(/^pooler/));
  await panel().getByRole("button", { name: "Trace inputs" }).click();
  await expect.poll(() => hash(page)).toContain("graph.trace=inputs");
});

test.each(["operation", "parameters", "FLOPs"])("boxes are colored by %s, with a key", async (name) => {
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Color/ })
    .click();
  await page.getByRole("menuitemradio", { name }).or(page.getByRole("menuitem", { name })).click();
  await page.getByRole("group", { name: "Colors" }).waitFor();
});

test("more detail shows what was hidden", async () => {
  await page.getByRole("button", { name: /^Show/ }).click();
  await page
    .getByRole("menuitemradio", { name: "everything" })
    .or(page.getByRole("menuitem", { name: "everything" }))
    .click();
  await panel().getByText("672").first().waitFor();
  await expect.poll(async () => (await paths()).length).toBeGreaterThan(5);
});

test("a picture is saved as PNG and SVG", async () => {
  for (const format of ["PNG", "SVG"]) {
    await page.getByRole("button", { name: "Download" }).click();
    const file = await downloaded(page, () => page.getByRole("menuitem", { name: `Picture, ${format}` }).click());
    expect(file.name).toBe(`BertForSequenceClassification.${format.toLowerCase()}`);
    expect(file.bytes.length).toBeGreaterThan(4000);
    if (format === "SVG") expect(file.bytes.toString()).toContain("encoder.layer ×12");
  }
});

test("odd graphs are shown, with a sentence about what is wrong with them", async () => {
  page = await open(board, `#graphs&graph.run=${await board.runId("wide")}`);
  await box(/^nodes 1–200/).waitFor();
  await panel().getByText("1,201 inputs name nodes that are not in the graph. They are left out.").waitFor();
  page = await open(board, `#graphs&graph.run=${await board.runId("odd")}`);
  await expect.poll(async () => (await paths()).length).toBe(5);
  expectProblems(/409 \(Conflict\)/);
  page = await open(board, `#graphs&graph.run=${await board.runId("broken")}`);
  await page.getByRole("alert").getByText("This graph cannot be shown").waitFor();
});

test("a graph that is logged while the page is open appears", async () => {
  const own = await Board.on("few");
  page = await open(own, "#charts");
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  own.write(
    "bert-lr3e-5-s1",
    "from lossboard.events.summary import GRAPH_DEF\n" +
      "from lossboard.kinds.graphs.encode import GraphNode, encode_graph\n" +
      'log._event(GRAPH_DEF, encode_graph([GraphNode("x", "Placeholder"), GraphNode("y", "Relu", ["x"])]))',
  );
  await page.getByRole("link", { name: /Graph/ }).first().click();
  await box("y").waitFor();
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    const run = await board.runId("bert-s1");
    page = await open(board, `#graphs&graph.run=${run}&graph.color=op`, { colorScheme });
    await box(/^pooler/).waitFor();
    await click(box(/^encoder\.layer/));
    await panel().getByRole("heading", { name: "Parameters" }).waitFor();
    await golden(page, `graphs-${colorScheme}`);
    await accessible(page);
  });
});

test("looks as it should on a phone, where touch selects a box", async () => {
  page = await open(board, `#graphs&graph.run=${await board.runId("bert-s1")}`, { viewport: PHONE, hasTouch: true });
  const { x, y } = await steadyBox(box(/^pooler/));
  await page.touchscreen.tap(x + 20, y + 10);
  await panel().getByRole("heading", { name: "pooler" }).waitFor();
  await golden(page, "graphs-phone");
});
