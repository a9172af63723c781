/* What the tabs of media share: several samples at a step, empty states and errors. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { Board, expectProblems, hash, open } from "./harness";

let board: Board;
let page: Page;

beforeAll(async () => {
  board = await Board.on("batches");
});

const region = (): Locator => page.locator("section.view");
const choose = async (button: RegExp, choice: string): Promise<void> => {
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("menuitemradio", { name: choice }).click();
};

test("if the selected runs have none, each tab shows code that logs some", async () => {
  page = await open(board, "#images");
  await page.getByRole("row").filter({ hasText: "batch" }).getByRole("checkbox").click();
  for (const [tab, title, line] of [
    ["Images", "No images in the selected runs", 'log.add_image("samples", image, step)'],
    ["Histograms", "No histograms in the selected runs", 'log.add_histogram("layer.0.weight", weight, step)'],
    ["Text", "No text in the selected runs", 'log.add_text("note", "what **changed**", step)'],
    ["Audio", "No audio in the selected runs", 'log.add_audio("speech", samples, step, sample_rate=22050)'],
  ] as const) {
    await page
      .getByRole("link", { name: tab, exact: true })
      .or(page.getByRole("tab", { name: tab, exact: true }))
      .first()
      .click();
    await region().getByText(title).waitFor();
    await region().getByText(line).waitFor();
  }
});

test.each([
  ["images", "images/series", "Could not load Images", () => page.locator("figure img").first()],
  [
    "histograms",
    "histograms/layers",
    "Could not load Histograms",
    () => page.getByRole("article", { name: "weight of batch" }).locator("canvas"),
  ],
  ["text", "text/series", "Could not load Text", () => page.getByRole("article", { name: /^note/ })],
  ["audio", "audio/series", "Could not load Audio", () => page.getByRole("button", { name: /^Play speech/ }).first()],
] as const)("if the server cannot list the %s, the tab says so and can retry", async (view, path, title, shown) => {
  page = await open(board, "#charts");
  await fail(path);
  await page.goto(`${board.url}#${view}`);
  const alert = region().getByRole("alert");
  await alert.getByText(title).waitFor();
  await alert.getByText("The disk is on fire.").waitFor();
  await page.unroute(`**/api/${path}`);
  await alert.getByRole("button", { name: "Try again" }).click();
  await shown().waitFor();
  await expect.poll(() => alert.count()).toBe(0);
  expectProblems(/500/);
});

test.each([
  [
    "histograms",
    "histograms/cards",
    () =>
      page
        .getByText("2 histograms up to step 100")
        .or(page.locator('canvas[aria-label="2 histograms up to step 100"]')),
  ],
  ["text", "text/texts", () => page.getByText("yaml")],
  ["audio", "audio/waveforms", () => page.getByText("500 ms · 8 kHz").first()],
] as const)("if the server cannot read a sample of %s, its card says so and can retry", async (view, path, shown) => {
  page = await open(board, "#charts");
  await fail(path);
  await page.goto(`${board.url}#${view}`);
  await region().getByText("The disk is on fire.").first().waitFor();
  await page.unroute(`**/api/${path}`);
  await region().getByRole("button", { name: "Try again" }).first().click();
  await shown().waitFor();
  await expect.poll(() => region().getByText("The disk is on fire.").count()).toBe(0);
  expectProblems(/500/);
});

async function fail(path: string): Promise<void> {
  await page.route(`**/api/${path}`, (route) =>
    route.fulfill({ status: 500, json: { error: { code: "broken", message: "The disk is on fire." } } }),
  );
}

test("one of several samples at a step can be selected, and is in the URL", async () => {
  page = await open(board, "#images");
  const source = (): Promise<string | null> =>
    page
      .getByRole("button", { name: /^Open samples/ })
      .locator("img")
      .getAttribute("src");
  await expect.poll(() => source()).toContain("sample=0");
  await choose(/^Sample/, "3 of 3");
  await expect.poll(() => source()).toContain("sample=2");
  await expect.poll(() => hash(page)).toContain("img.sample=2");
  // A tag with fewer samples shows its last one.
  await expect
    .poll(() =>
      page
        .getByRole("button", { name: /^Open film/ })
        .locator("img")
        .getAttribute("src"),
    )
    .toContain("sample=0");
});

test("a GIF plays, small and large, and an invalid image says why it is not shown", async () => {
  page = await open(board, "#images", { realTime: true });
  await page.getByText("The browser cannot display this image.").waitFor();
  const film = page.getByRole("button", { name: /^Open film/ });
  await changes(film);
  await film.click();
  await changes(page.getByRole("dialog").getByRole("img", { name: "film at step 100" }));
});

/** Waits until it has looked in two ways. */
async function changes(what: Locator): Promise<void> {
  await what.waitFor();
  const before = await what.screenshot();
  await expect.poll(async () => (await what.screenshot()).equals(before)).toBe(false);
}

test("images have the selected size, and a collapsed tag is in the URL", async () => {
  page = await open(board, "#images");
  const image = page.getByRole("button", { name: /^Open samples/ }).locator("img");
  await image.waitFor();
  await choose(/^Size/, "actual");
  await expect.poll(() => image.boundingBox()).toMatchObject({ width: 32, height: 32 });
  await page
    .getByRole("region", { name: "samples" })
    .getByRole("button", { name: /^samples/ })
    .click();
  await expect.poll(() => image.count()).toBe(0);
  await expect.poll(() => hash(page)).toContain("img.folded=samples");
});

test("a clip shows the label of its sample", async () => {
  page = await open(board, "#audio");
  await page.getByText("a cat").first().waitFor();
  await choose(/^Sample/, "2 of 2");
  await page.getByText("a dog").first().waitFor();
  await expect.poll(() => page.getByText("a cat").count()).toBe(0);
  await expect.poll(() => hash(page)).toContain("audio.sample=1");
});

test("a short list of a config is on one line", async () => {
  page = await open(board, "#text&text.source=tree");
  await page.getByText("[1, 2]").waitFor();
});

test("an array of texts is a table", async () => {
  page = await open(board, "#text");
  const cells = page.getByRole("article", { name: /^table/ }).locator("td");
  await expect.poll(() => cells.allInnerTexts()).toEqual(["loss", "0.1", "accuracy", "0.9"]);
});

test("with more steps than columns, the tooltip says of how many steps each column is the mean", async () => {
  const own = await Board.on("one");
  own.write("only", 'for step in range(1500): log.add_histogram("weight", [step / 1500, 1.0], step)');
  page = await open(own, "#histograms&hist.shape=heat");
  const plot = page.getByRole("article", { name: /^weight/ }).locator(".plot");
  // The data may arrive after the pointer.
  await plot.hover();
  await expect.poll(() => page.locator(".tip").innerText()).toMatch(/mean of\s+\d+ steps/);
});
