/* The Attention tab. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, expectProblems, hash, open, PHONE, steadyBox } from "./harness";

let board: Board;
let page: Page;
let shapes: string;

const heads = (): Locator => page.getByRole("group", { name: "Heads" }).getByRole("button");
const matrix = (): Locator => page.getByRole("application", { name: /^Matrix of/ });
const panel = (name: string): Locator =>
  page.getByRole("group", { name: "View of the head" }).getByRole("button", { name });
const token = (name: string): Locator =>
  page.getByRole("group", { name: "Tokens" }).getByRole("button", { name, exact: true });

/** Returns how many colors a canvas has: one if nothing is drawn. */
const colors = (of: Locator): Promise<number> =>
  of.locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });

async function drawn(): Promise<void> {
  await expect.poll(() => colors(matrix())).toBeGreaterThan(30);
}

async function select(label: string, option: string): Promise<void> {
  await page.getByRole("button", { name: label }).first().click();
  await page
    .getByRole("menuitemradio", { name: option })
    .or(page.getByRole("menuitem", { name: option }))
    .click();
}

async function openShape(tag: string, more = ""): Promise<void> {
  page = await open(board, `#attention&att.run=${shapes}&att.tag=${tag}${more}`);
}

beforeAll(async () => {
  board = await Board.on("attention");
  shapes = await board.runId("shapes");
});

beforeEach(async () => {
  page = await open(board, "#attention");
  await drawn();
});

test("shows every head, and opens the one that is clicked", async () => {
  await page.getByRole("heading", { name: "6 layers × 8 heads" }).waitFor();
  await expect.poll(() => heads().count()).toBe(48);
  await page.getByRole("button", { name: /^layer 3 head 5,/ }).click();
  await page.getByRole("heading", { name: "layer 3 head 5" }).waitFor();
  await expect.poll(() => hash(page)).toContain("att.head=[3,5]");
  await page.keyboard.press("ArrowRight");
  await page.getByRole("heading", { name: "layer 3 head 6" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.getByRole("heading", { name: "layer 4 head 6" }).waitFor();
  await page.keyboard.press("k");
  await page.getByRole("heading", { name: "layer 4 head 5" }).waitFor();
});

test("the pointer and the keyboard read weights, and choose tokens", async () => {
  const box = await steadyBox(matrix());
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.getByText(/^from “.+” to “.+”: 0\.\d+/).waitFor();
  await matrix().focus();
  await page.mouse.move(0, 0);
  await page.keyboard.press("ArrowDown");
  await page.getByText(/^from “\[CLS\]” to “\[CLS\]”/).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.getByText(/^from “a” to “\[CLS\]”/).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => token("a").getAttribute("aria-pressed")).toBe("true");
  await page.keyboard.press("Escape");
  await expect.poll(() => hash(page)).not.toContain("att.token");
});

test("a token colors the sentence by its weights, and a search finds it", async () => {
  const color = (): Promise<string> => token("quite").evaluate((button) => getComputedStyle(button).backgroundColor);
  const before = await color();
  await token("dull").click();
  await expect.poll(color).not.toBe(before);
  await token("dull").click();
  await expect.poll(color).toBe(before);
  await page.getByRole("searchbox", { name: "Search tokens" }).fill("never");
  await expect.poll(() => token("never").getAttribute("aria-pressed")).toBe("true");
});

test("lines lead from tokens to those that they attend to", async () => {
  await panel("Lines").click();
  const lines = page.getByRole("img", { name: /^Lines of/ }).locator("path");
  await expect.poll(() => lines.count()).toBeGreaterThan(40);
  const all = await lines.count();
  await token("dull").click();
  await expect.poll(() => lines.count()).toBeLessThan(all / 3);
});

test("one token is shown in all heads, and a click opens a head", async () => {
  await panel("Token in all heads").click();
  await page.getByText("Choose a token above to see it in every head.").waitFor();
  await token("dull").click();
  const all = page.getByRole("img", { name: "dull in all heads" });
  await expect.poll(() => colors(all)).toBeGreaterThan(30);
  const box = await steadyBox(all);
  await page.mouse.click(box.x + 80, box.y + box.height - 12);
  await expect.poll(() => hash(page)).toContain("att.head=[5,7]");
  await page.getByRole("button", { name: "To token" }).click();
  await page.getByText(/^Point at a line|to “dull”/).waitFor();
});

test("rollout is shown with its formula", async () => {
  await panel("Rollout").click();
  await page.getByRole("application", { name: "Matrix of rollout" }).waitFor();
  await page.getByText("R = Ã·R").waitFor();
});

test("heads are colored and sorted by a measure, whose curve goes to a step", async () => {
  await select("Show", "previous token");
  await page.getByText("Weight on the token before.").waitFor();
  await select("Order", "by previous token");
  const values = await heads().evaluateAll((buttons) =>
    buttons.map((button) => Number(/[\d.]+$/.exec(button.getAttribute("aria-label")!.replace(/e.*/, ""))?.[0] ?? 0)),
  );
  expect(values.slice(0, 20)).toEqual(values.slice(0, 20).sort((a, b) => b - a));
  const curve = page.getByRole("img", { name: /^previous token of layer 0 head 0 over 6 steps/ });
  const box = await steadyBox(curve);
  await page.mouse.click(box.x + box.width * 0.45, box.y + box.height / 2);
  await expect.poll(() => hash(page)).toMatch(/att\.step=(20|40|60)/);
});

test("the step is shared with the other tabs", async () => {
  page = await open(board, "#attention&at=40");
  await page.getByText(/at step 40$/).waitFor();
  await page.getByRole("slider", { name: "Step" }).press("Home");
  await page.getByText(/at step 0$/).waitFor();
});

test("a step is compared with the first one, and heads are sorted by change", async () => {
  await select("Compare with", "first step");
  await page.getByRole("application", { name: /^Matrix of difference/ }).waitFor();
  await select("Show", "change");
  await select("Order", "by change");
  const changes = async (): Promise<number[]> =>
    (await heads().evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")!))).map((label) =>
      Number(/change ([\d.]+)/.exec(label)?.[1] ?? -1),
    );
  await expect.poll(async () => (await changes())[0]).toBeGreaterThan(0.05);
  const sorted = await changes();
  expect(sorted).toEqual([...sorted].sort((a, b) => b - a));
  await page.getByRole("button", { name: "B", exact: true }).click();
  await page.getByRole("application", { name: /^Matrix of layer/ }).waitFor();
});

test("two runs are compared on the same tokens, and refused in words on others", async () => {
  await select("Compare with", "bert-s2");
  await page.getByRole("application", { name: /^Matrix of difference/ }).waitFor();
  await page.getByRole("heading", { name: "Entropy over steps" }).waitFor();
  await select("Text", "short");
  await page.getByText("A − B cannot be shown. The tokens differ (the first difference is 'bad' and 'good'").waitFor();
  await drawn();
});

test("cross attention, patches, shared keys and long texts have their own form", async () => {
  await openShape("cross");
  await page.getByRole("group", { name: "Tokens that attend" }).getByRole("button", { name: "That" }).click();
  await page.getByRole("group", { name: "Tokens that are attended to" }).getByText("gut").waitFor();
  expect(await panel("Rollout").count()).toBe(0);
  await openShape("vit");
  await expect.poll(() => page.getByRole("group", { name: "Patches" }).getByRole("button").count()).toBe(49);
  await openShape("gqa");
  await drawn();
  const box = await steadyBox(matrix());
  await page.mouse.move(box.x + box.width * 0.75, box.y + box.height * 0.3);
  await page.getByText(/cannot attend to “.+”, a later token/).waitFor();
  await openShape("long");
  await page.getByText("Only measures and thumbnails were logged at this step").waitFor();
  await expect.poll(() => heads().count()).toBe(4);
});

test("what is damaged is named, and the rest is shown", async () => {
  expectProblems(/409/);
  await openShape("damaged");
  await page.getByText("The maps of layer 0 at step 0 are not in the event files.").waitFor();
  await expect.poll(() => heads().count()).toBe(4);
  await page.getByRole("button", { name: /^layer 1 head 0,/ }).click();
  await drawn();
  await openShape("lies");
  await page.getByText("This step cannot be read").waitFor();
});

test("measures and weights are saved as CSV", async () => {
  await page.getByRole("button", { name: "Download" }).click();
  const measures = await downloaded(page, () =>
    page.getByRole("menuitem", { name: "Measures of all heads, CSV" }).click(),
  );
  expect(measures.name).toBe("probe-step100-measures.csv");
  const lines = measures.bytes.toString().trimEnd().split("\n");
  expect(lines).toHaveLength(49);
  expect(lines[0]).toMatch(/^layer,head,entropy,/);
  await page.getByRole("button", { name: "Download" }).click();
  const weights = await downloaded(page, () => page.getByRole("menuitem", { name: "Weights on screen, CSV" }).click());
  expect(weights.bytes.toString().trimEnd().split("\n")).toHaveLength(16);
});

test("a step that is logged while the page is open appears", async () => {
  const own = await Board.on("attention");
  page = await open(own, "#attention");
  await drawn();
  own.write("bert-s1", `log.add_attention("probe", [[[[1.0, 0.0], [0.5, 0.5]]]], ["new", "text"], 200)`);
  await page.getByRole("heading", { name: "1 layer × 1 head" }).waitFor();
  await token("new").waitFor();
});

test("without attention, the tab says how to log it", async () => {
  page = await open(await Board.on("one"), "#attention");
  await page.getByText('log.add_attention("probe", outputs.attentions, tokens, step)').waitFor();
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#attention&att.with=first%20step&att.token=12&att.head=[3,5]", { colorScheme });
    await page.getByRole("application", { name: /^Matrix of difference/ }).waitFor();
    await drawn();
    await golden(page, `attention-difference-${colorScheme}`);
    await accessible(page);
    page = await open(board, "#attention&att.token=12&att.head=[3,5]", { colorScheme });
    await drawn();
    await golden(page, `attention-${colorScheme}`);
    await accessible(page);
  });
});

test("looks as it should on a phone", async () => {
  page = await open(board, "#attention&att.token=12", { viewport: PHONE });
  await drawn();
  await golden(page, "attention-phone");
  await accessible(page);
});
