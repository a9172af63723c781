/* Navigation: tabs by task, folding, key hints, the list of views on phones. With a test registry of fourteen views. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, buildUi, hash, type Look, open, PHONE, tap } from "./harness";

const WIDTHS = [320, 390, 600, 720, 721, 800, 960, 1020, 1280, 1440, 1920, 2560];
const PLANNED = ["pr_curves", "meshes", "embeddings", "attention", "graphs", "tensors", "profile"];
const ALL = Object.fromEntries([...PLANNED, "scalars", "hparams"].map((kind) => [kind, 3]));
const KEYS = {
  charts: "1",
  table: "2",
  hparams: "3",
  pr_curves: "4",
  images: "5",
  audio: "6",
  text: "7",
  meshes: "8",
  histograms: "9",
  embeddings: "Shift+1",
  attention: "Shift+2",
  graphs: "Shift+3",
  tensors: "Shift+4",
  profile: "Shift+5",
};

let board: Board;
let web: string;
let page: Page;

beforeAll(async () => {
  board = await Board.on("things");
  web = buildUi("vite.fourteen.config.ts");
});

async function openViews(width: number, at = "#table", look: Look = { kinds: ALL }): Promise<void> {
  const viewport = { width, height: 800 };
  page = await open(board, at, { web, viewport, ...look });
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  // The header is complete once the runs are known.
  await page.locator("main:not([aria-busy])").waitFor();
}

const tabs = () => page.getByRole("navigation", { name: "Views" }).getByRole("link").allInnerTexts();
const openTab = () => page.locator("[aria-current=page]").first().innerText();

/** Returns which parts of header and toolbar overlap or stick out, and how far the page scrolls sideways. */
async function faults(): Promise<string[]> {
  return page.evaluate(async () => {
    // A new size of the window reaches the header with the next frame.
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    const header = document.querySelector("header.top")!;
    const selectors = [
      ".top :is(.brand > *, .tab, .caret, .view, .now, button:not(.tab, .caret, .view))",
      ".tool .row > :not(.steps)",
      ".tool .steps > *",
    ];
    const parts = [...document.querySelectorAll(selectors.join())]
      .map((node) => ({ name: node.getAttribute("aria-label") ?? node.textContent, box: node.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0);
    const found = parts
      .filter(({ box }) => box.left < 0 || box.right > innerWidth)
      .map(({ name }) => `${name} sticks out`);
    for (const [i, a] of parts.entries())
      for (const b of parts.slice(i + 1))
        if (
          a.box.left < b.box.right - 0.5 &&
          b.box.left < a.box.right - 0.5 &&
          a.box.top < b.box.bottom &&
          b.box.top < a.box.bottom
        )
          found.push(`${a.name} overlaps ${b.name}`);
    const scrolled = document.documentElement.scrollWidth - innerWidth;
    if (scrolled > 0) found.push(`the page scrolls by ${scrolled} px`);
    if (header.scrollWidth > header.clientWidth) found.push("the header overflows");
    return found;
  });
}

describe("the header neither overlaps nor overflows from 320 to 2560 px", () => {
  test.each([
    ["fourteen views, Table open", "#table", ALL],
    ["fourteen views, Tensors open", "#tensors", ALL],
    ["fourteen views, Profile open", "#profile", ALL],
    ["views without data", "#table", {}],
    ["a view without data open", "#pr_curves", {}],
  ])("%s", async (_, at, kinds) => {
    await openViews(1280, at, { kinds });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => faults(), { message: `${width} px` }).toEqual([]);
    }
  });

  // Below 721 px the toolbar of a phone scrolls.
  test.each(["charts", "images", "audio", "text", "histograms"])("nor does the toolbar of %s", async (view) => {
    page = await open(await Board.on(view === "charts" ? "charts" : "things"), `#${view}`);
    await page.locator(".tool .row > *").first().waitFor();
    for (const width of WIDTHS.filter((width) => width > 720)) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => faults(), { message: `${width} px` }).toEqual([]);
    }
  });

  test("with a collapsed sidebar, and with a wide one", async () => {
    for (const [name, value] of [
      ["rail", "1"],
      ["width", "560"],
    ] as const) {
      await openViews(1280);
      await page.evaluate(([name, value]) => localStorage.setItem(`lossboard.runs.${name}`, value), [
        name,
        value,
      ] as const);
      await page.reload();
      await page.getByRole("navigation", { name: "Views" }).waitFor();
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        await expect.poll(() => faults(), { message: `${name} ${value}, ${width} px` }).toEqual([]);
      }
    }
  });
});

test("at 1280 px every key opens its view", async () => {
  await openViews(1280);
  for (const [id, key] of Object.entries(KEYS)) {
    await page.keyboard.press(key);
    await expect.poll(() => hash(page)).toMatch(new RegExp(`^#${id}(&|$)`));
  }
});

test("the least used task folds, its menu opens the others, and the open task never folds", async () => {
  const model = ["Histograms", "Embeddings", "Attention", "Graph", "Tensors"];
  await openViews(1280);
  await expect.poll(() => tabs()).toEqual(expect.arrayContaining(["Charts", "Table", "HParams", "PR curves"]));
  await page.getByRole("button", { name: "Model: 5 tabs" }).click();
  await page.getByRole("menuitem", { name: /^Graph/ }).click();
  await expect.poll(() => openTab()).toBe("Graph");
  await expect.poll(() => tabs()).toEqual(expect.arrayContaining(model));
  await page.getByRole("button", { name: "Samples: 4 tabs" }).waitFor();
  await page.keyboard.press("2");
  // A folded task shows its view used last.
  await expect.poll(async () => (await tabs()).filter((tab) => model.includes(tab))).toEqual(["Graph"]);
});

test("what is used often stays unfolded on the next visit", async () => {
  await openViews(1280);
  for (const key of ["9", "Shift+3", "Shift+4"]) {
    await page.keyboard.press(key);
    await expect.poll(() => hash(page)).not.toMatch(/^#charts/);
    await page.keyboard.press("1");
    await expect.poll(() => hash(page)).toMatch(/^#charts/);
  }
  await page.reload();
  await page.getByRole("button", { name: "Samples: 4 tabs" }).waitFor();
  await expect.poll(() => tabs()).toContain("Tensors");
});

test("while Alt is held each tab shows its key, and nothing moves", async () => {
  await openViews(1280);
  const places = () => page.locator(".tab").evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().x));
  const before = await places();
  await page.keyboard.down("Alt");
  await expect
    .poll(() => page.locator(".tab kbd").allInnerTexts())
    .toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "⇧5"]);
  expect(await places()).toEqual(before);
  await page.keyboard.up("Alt");
  await expect.poll(() => page.locator(".tab kbd").count()).toBe(0);
});

test("a view without data answers its key with a toast, and is listed under More", async () => {
  await openViews(1280, "#table", {});
  await page.keyboard.press("Shift+3");
  const toast = page.getByRole("status");
  await toast.getByText("Graph: no data yet").waitFor();
  await toast.getByText("log.add_graph(model, inputs)").waitFor();
  expect(hash(page)).toMatch(/^#table/);
  await page.getByRole("button", { name: "More" }).click();
  const menu = page.getByRole("menu", { name: "More views" });
  await menu.getByRole("menuitem", { name: /PR curves.*log\.add_pr_curve/ }).click();
  await page.getByRole("heading", { name: "No PR curves logged yet" }).waitFor();
  await page.getByRole("button", { name: "PR curves" }).waitFor();
});

test("where no tabs fit, one button lists all views", async () => {
  await openViews(760, "#tensors");
  await page.getByRole("navigation", { name: "Views" }).getByRole("button", { name: "Tensors" }).click();
  const menu = page.getByRole("menu", { name: "Views" });
  await expect.poll(() => menu.getByRole("menuitem").count()).toBe(14);
  await menu.getByRole("menuitem", { name: /^Meshes/ }).click();
  await expect.poll(() => hash(page)).toMatch(/^#meshes/);
  await menu.waitFor({ state: "detached" });
});

describe.each(["light", "dark"] as const)("looks in %s", (colorScheme) => {
  test("fourteen views, with the menu of a folded task", async () => {
    await openViews(1280, "#table", { kinds: ALL, colorScheme });
    await page.getByRole("button", { name: "Model: 5 tabs" }).click();
    await page.getByRole("menu", { name: "Views" }).waitFor();
    await accessible(page);
    await golden(page, `nav-${colorScheme}`);
  });

  test("on a phone the views are a sheet with rows of 44 px by task", async () => {
    await openViews(PHONE.width, "#table", {
      kinds: ALL,
      colorScheme,
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
    });
    const sheet = page.getByRole("dialog", { name: "Views" });
    await tap(page.getByRole("button", { name: "Table" }), () => sheet.isVisible());
    await expect
      .poll(() => sheet.getByRole("heading").allInnerTexts())
      .toEqual(["Compare", "Samples", "Model", "System"]);
    await expect.poll(() => sheet.getByRole("link").count()).toBe(14);
    const heights = await sheet.getByRole("link").evaluateAll((rows) => rows.map((row) => row.clientHeight));
    expect(new Set(heights)).toEqual(new Set([44]));
    await accessible(page);
    await golden(page, `nav-phone-${colorScheme}`);
    await tap(sheet.getByRole("link", { name: "Embeddings" }), () => sheet.isHidden());
    await expect.poll(() => hash(page)).toMatch(/^#embeddings/);
  });
});
