/* Charts that compare: formulas over tags, a second y axis, a baseline run, and the best step. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE, settled } from "./harness";

let board: Board;
let seeds: Board;
let page: Page;

const card = (name: string): Locator => page.locator(`[data-card="${name}"]`).first();
const plotLabel = (name: string): Promise<string | null> => card(name).locator(".plot").getAttribute("aria-label");
const own = (charts: Record<string, string[]>): string => `own=${encodeURIComponent(JSON.stringify(charts))}`;
const plain = (text: string): string => text.replace(/\s+/g, " ").trim();

beforeAll(async () => {
  board = await Board.on("charts");
  seeds = await Board.on("seeds");
});

describe("a formula", () => {
  test("is typed with completion and repair, drawn, and stays after a reload", async () => {
    page = await open(board);
    await page.getByRole("button", { name: "New chart" }).click();
    const dialog = page.getByRole("dialog", { name: "New chart" });
    const field = dialog.getByRole("textbox", { name: "Formula" });
    await field.pressSequentially("eval/lo");
    await dialog.getByRole("button", { name: "`eval/loss`" }).waitFor();
    await field.press("Tab");
    await expect.poll(() => field.inputValue()).toBe("`eval/loss`");
    await field.pressSequentially(" - `train/los`");
    await dialog.getByRole("alert").getByText("No selected run has the tag train/los.").waitFor();
    expect(await dialog.locator(".wrong").innerText()).toBe("`train/los`");
    await accessible(page);
    expect(await dialog.getByRole("button", { name: "Add formula" }).isDisabled()).toBe(true);
    await dialog.getByRole("alert").getByRole("button", { name: "`train/loss`" }).click();
    await expect.poll(() => field.inputValue()).toBe("`eval/loss` - `train/loss`");
    await dialog.getByRole("alert").waitFor({ state: "detached" });
    await field.press("Enter");
    await dialog.getByRole("list", { name: "Formulas" }).getByText("`eval/loss` - `train/loss`").waitFor();
    await dialog.getByRole("button", { name: "Create chart" }).click();
    const name = "*`eval/loss` - `train/loss`";
    await expect.poll(() => plotLabel(name)).toMatch(/: 3 lines$/);
    await expect.poll(() => hash(page)).toContain('["=`eval/loss` - `train/loss`"]');
    await page.reload();
    await expect.poll(() => plotLabel(name)).toMatch(/: 3 lines$/);
  });

  test("has the same numbers in the table and in the file", async () => {
    page = await open(board, `#charts&${own({ "*gap": ["=`eval/loss` - `train/loss`"] })}&full=*gap&smooth=0`);
    const row = page.getByRole("row").filter({ hasText: "base" });
    await expect.poll(() => row.locator("td").count()).toBeGreaterThan(4);
    await expect.poll(async () => (await row.locator("td").allInnerTexts())[3]).toContain(" at ");
    const [, , value, least] = (await row.locator("td").allInnerTexts()).map(plain);
    await page.getByRole("article").getByRole("button", { name: "More", exact: true }).click();
    const file = await downloaded(page, () => page.getByRole("button", { name: "CSV" }).click());
    const rows = file.bytes.toString().trim().split("\n").slice(1);
    const values = rows.filter((line) => line.startsWith("base,")).map((line) => Number(line.split(",").at(-2)));
    expect(Number(value!.replace("−", "-"))).toBeCloseTo(values.at(-1)!, 3);
    expect(Number(least!.split(" ")[0]!.replace("−", "-"))).toBeCloseTo(Math.min(...values), 3);
    expect(rows[0]).toContain(",`eval/loss` - `train/loss`,");
  });

  test("over tags that no run has says so on the card, which repairs it", async () => {
    page = await open(board, `#charts&${own({ "*odd": ["=exp(loss)"], "*half": ["train/loss", "=nope("] })}`);
    await card("*odd").getByText("No selected run has the tag loss.").waitFor();
    expect(await card("*odd").locator(".wrong").innerText()).toBe("loss");
    await card("*half").getByText("Unknown function nope.").waitFor();
    expect(await plotLabel("*half")).toBe("train/loss, nope(: 3 lines");
    await card("*odd").getByRole("button", { name: "`eval/loss`" }).click();
    await expect.poll(() => plotLabel("*odd")).toMatch(/: 3 lines$/);
    await expect.poll(() => hash(page)).toContain("=exp(`eval/loss`)");
  });

  test("follows the tags that it reads", async () => {
    const growing = await Board.on("charts");
    page = await open(growing, `#charts&${own({ "*twice": ["=2 * fresh"] })}`, { realTime: true });
    await card("*twice").getByText("No selected run has the tag fresh.").waitFor();
    growing.log("base", "fresh", [1, 2, 3]);
    await expect.poll(() => plotLabel("*twice")).toMatch(/: 1 line$/);
  });
});

describe("a second y axis", () => {
  const BOTH = own({ "*both": ["train/loss", "train/lr"] });

  test("is automatic for tags of different scales, and can be switched off", async () => {
    page = await open(board, `#charts&${BOTH}`);
    await expect.poll(() => plotLabel("*both")).toContain("train/lr (right)");
    await card("*both")
      .locator(".plot")
      .hover({ position: { x: 90, y: 60 } }); // the learning rate ends early
    await expect
      .poll(async () => plain(await page.getByRole("tooltip").innerText()))
      .toMatch(/lr \(right\) \d\.?\d*e−5/);
    page = await open(board, `#charts&${BOTH}&full=*both`);
    await page.getByText("train/lr (right)", { exact: true }).waitFor();
    await page.getByRole("article").getByRole("button", { name: "More", exact: true }).click();
    const choice = page.getByRole("group", { name: "Second y axis" });
    expect(await choice.getByRole("button", { name: "auto" }).getAttribute("aria-pressed")).toBe("true");
    await choice.getByRole("button", { name: "off" }).click();
    await page.getByText("train/lr", { exact: true }).first().waitFor();
    await expect.poll(() => page.getByText("train/lr (right)").count()).toBe(0);
    await expect.poll(() => hash(page)).toContain('"right":false');
  });

  test("is in the exported image", async () => {
    page = await open(board, `#charts&${BOTH}&full=*both`);
    await page.getByText("train/lr (right)", { exact: true }).waitFor();
    await page.getByRole("article").getByRole("button", { name: "More", exact: true }).click();
    const image = await downloaded(page, () => page.getByRole("button", { name: "SVG" }).click());
    expect(image.bytes.toString()).toContain(">1e-4<");
    expect(image.bytes.toString()).toContain("train/lr (right)");
  });
});

describe("a baseline run", () => {
  test("is chosen in the menu of a run, and all charts show the difference or the ratio", async () => {
    page = await open(seeds, "#charts&smooth=0");
    await page.getByRole("rowheader", { name: "baseline" }).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Use as baseline of charts" }).click();
    const chip = page.getByRole("group", { name: "Baseline", exact: true });
    await expect.poll(async () => plain(await chip.innerText())).toBe("Difference to baseline");
    await expect.poll(() => hash(page)).toContain("baseline=");
    await page.goto(`${page.url()}&full=eval/loss`);
    const row = page.getByRole("row").filter({ has: page.getByText("baseline", { exact: true }) });
    const cells = (): Promise<string[]> => row.last().locator("td").allInnerTexts();
    await expect.poll(async () => (await cells()).slice(2, 4).map(plain)).toEqual(["0", "0 at 0"]);
    await chip.getByRole("button", { name: "Difference to" }).click();
    await expect.poll(async () => (await cells()).slice(2, 4).map(plain)).toEqual(["1", "1 at 0"]);
    await expect.poll(() => hash(page)).toContain("against=ratio");
    await chip.getByRole("button", { name: "Stop comparing with the baseline" }).click();
    await expect.poll(() => hash(page)).not.toContain("baseline=");
    await expect.poll(async () => plain((await cells())[2]!)).toMatch(/^0\.2/);
  });

  test("is chosen in the menu of a chart", async () => {
    page = await open(seeds, "#charts&full=eval/loss");
    await page.getByRole("article").getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("button", { name: "Compare with a baseline run" }).click();
    const dialog = page.getByRole("dialog", { name: "Baseline run" });
    await dialog.getByRole("textbox", { name: "Find a run" }).fill("lr2e-5-seed1");
    await accessible(page);
    await page.keyboard.press("Enter");
    await expect
      .poll(async () =>
        (await page.getByRole("group", { name: "Baseline", exact: true }).innerText()).replace(/\s/g, ""),
      )
      .toContain("lr2e-5-seed1");
    const image = await downloaded(page, () => page.getByRole("button", { name: "SVG" }).click());
    expect(image.bytes.toString()).toContain("difference to bert-lr2e-5-seed1");
  });

  test("without the tag of a chart says so on the card, and one that is gone compares nothing", async () => {
    page = await open(board, "#charts");
    await page.getByRole("rowheader", { name: "diverged" }).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Use as baseline of charts" }).click();
    await page.getByRole("group", { name: "Baseline", exact: true }).waitFor();
    page = await open(board, "#charts&baseline=gone");
    await expect.poll(() => plotLabel("train/loss")).toMatch(/: 4 lines$|: 3 lines$/);
    expect(await page.getByRole("group", { name: "Baseline", exact: true }).count()).toBe(0);
  });
});

test("the best step is marked in the exported image, by the name of the tag or as chosen", async () => {
  page = await open(seeds, "#charts&best=1&full=eval/accuracy&q=baseline&smooth=0");
  await page.getByRole("article").getByRole("button", { name: "More", exact: true }).click();
  const choice = page.getByRole("group", { name: "Best step" });
  await expect.poll(() => choice.getByRole("button", { name: "auto" }).getAttribute("aria-pressed")).toBe("true");
  const rings = async (): Promise<string[]> => {
    const image = await downloaded(page, () => page.getByRole("button", { name: "SVG" }).click());
    await page.getByRole("article").getByRole("button", { name: "More", exact: true }).click();
    return image.bytes.toString().match(/a4\.5 4\.5/g) ?? [];
  };
  expect((await rings()).length).toBeGreaterThan(0);
  await choice.getByRole("button", { name: "none" }).click();
  await expect.poll(() => hash(page)).toContain('"best":"none"');
  await expect.poll(rings).toEqual([]);
});

const SCREEN = `#charts&best=1&${own({
  "*gap": ["=`eval/loss` - `train/loss`"],
  "*loss and rate": ["train/loss", "train/lr"],
  "*odd": ["=exp(loss)"],
})}`;

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  test("charts that compare look as designed", async () => {
    page = await open(board, SCREEN, { colorScheme });
    await expect.poll(() => plotLabel("*gap")).toMatch(/: 3 lines$/);
    await card("*odd").getByRole("alert").waitFor();
    await settled(page);
    await golden(page, `compare-charts-${colorScheme}`);
    await accessible(page);
  });

  test("the dialog with a formula looks as designed", async () => {
    page = await open(board, "", { colorScheme });
    await page.getByRole("button", { name: "New chart" }).click();
    await page.getByRole("textbox", { name: "Formula" }).fill("exp(`train/los`)");
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await golden(page, `formula-dialog-${colorScheme}`);
    await accessible(page);
  });
});

test("on a phone, charts that compare fit", async () => {
  page = await open(board, SCREEN, { viewport: PHONE, hasTouch: true });
  await expect.poll(() => plotLabel("*gap")).toMatch(/: 3 lines$/);
  await golden(page, "compare-charts-phone");
  await accessible(page);
});
