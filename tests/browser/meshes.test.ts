/* The Meshes tab. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, expectProblems, hash, open, PHONE, steadyBox } from "./harness";

const TORUS = "#meshes&mesh.tag=eval/torus";

let board: Board;
let page: Page;

const plot = (run: string): Locator => page.getByRole("application", { name: new RegExp(` of ${run} at step`) });
const panel = (): Locator => page.getByRole("complementary", { name: "Mesh" });
const alert = (): Locator => page.getByRole("article").getByRole("alert");

/** Returns a number that stands for the pixels of a plot, or 0 if all of them are alike. */
const picture = (run: string): Promise<number> =>
  plot(run)
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      const { width, height } = canvas;
      // Without the axes, which are drawn on top.
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, width, height);
      const pixels = new Uint32Array(data.buffer).subarray(100 * width);
      if (pixels.every((pixel) => pixel === pixels[0])) return 0;
      return pixels.reduce((sum, pixel) => (Math.imul(sum, 31) + pixel) | 0, 1);
    });

async function drawn(...runs: string[]): Promise<void> {
  for (const run of runs.length ? runs : ["pointnet-a", "pointnet-b"])
    await expect.poll(() => picture(run)).not.toBe(0);
}

/** Waits until an action has changed the picture of a run, and returns the new one. */
async function changed(run: string, act: () => Promise<void>): Promise<number> {
  const before = await picture(run);
  await act();
  await expect.poll(() => picture(run)).not.toBe(before);
  return picture(run);
}

beforeAll(async () => {
  board = await Board.on("meshes");
});

beforeEach(async () => {
  page = await open(board, "#meshes");
  await drawn();
});

test("shows the runs side by side with what their meshes consist of", async () => {
  await expect
    .poll(() => plot("pointnet-a").getAttribute("aria-label"))
    .toMatch(/^eval\/knot of pointnet-a at step 400, 20.000 points$/);
  await expect.poll(() => panel().getByRole("row").allInnerTexts()).toHaveLength(3);
  await expect.poll(() => panel().innerText()).toContain("[1, 20000, 3]");
});

test("a drag turns all linked runs, and Reset view goes back", async () => {
  const start = await picture("pointnet-b");
  const box = await steadyBox(plot("pointnet-a"));
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await changed("pointnet-b", async () => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 120, y + 30, { steps: 3 });
    await page.mouse.up();
  });
  await expect.poll(() => hash(page)).toContain("mesh.camera=");
  await panel().getByRole("button", { name: "Reset view" }).click();
  await expect.poll(() => picture("pointnet-b")).toBe(start);
});

test("cameras that are not linked turn alone", async () => {
  await page.getByRole("switch", { name: "Link cameras" }).click();
  const other = await picture("pointnet-b");
  await plot("pointnet-a").focus();
  await changed("pointnet-a", () => page.keyboard.press("ArrowLeft"));
  expect(await picture("pointnet-b")).toBe(other);
});

test.each([
  ["ArrowUp", "turns"],
  ["Shift+ArrowRight", "moves"],
  ["+", "zooms in"],
  ["-", "zooms out"],
])("the key %s %s", async (key) => {
  await plot("pointnet-a").focus();
  await changed("pointnet-a", () => page.keyboard.press(key));
  await changed("pointnet-a", () => page.keyboard.press("0"));
});

test("the wheel zooms", async () => {
  const box = await steadyBox(plot("pointnet-a"));
  await page.mouse.move(box.x + 200, box.y + 300);
  await changed("pointnet-a", () => page.mouse.wheel(0, -300));
});

test("shows the shared step, also of a pinned one", async () => {
  await changed("pointnet-a", async () => {
    await page.getByRole("slider", { name: "Step" }).focus();
    await page.keyboard.press("ArrowLeft");
  });
  await expect.poll(() => plot("pointnet-a").getAttribute("aria-label")).toContain("at step 300");
});

test("draws faces, points or edges of a mesh, and other samples", async () => {
  page = await open(board, TORUS);
  await drawn();
  await expect.poll(() => plot("pointnet-a").getAttribute("aria-label")).toContain("960 vertices, 1920 faces");
  await changed("pointnet-a", () => panel().getByRole("button", { name: "Wireframe" }).click());
  await changed("pointnet-a", () => page.keyboard.press("m"));
  await expect.poll(() => hash(page)).toContain("mesh.as=points");
  await changed("pointnet-a", async () => {
    await page.getByRole("button", { name: "Sample 1 of 2" }).click();
    await page.getByRole("menuitemradio", { name: "2 of 2" }).click();
  });
});

test("the logged camera is used, and what is ignored is said", async () => {
  page = await open(board, TORUS);
  await drawn();
  await expect.poll(() => panel().innerText()).toMatch(/field of view\s+40°[\s\S]*not used here: material\.roughness/);
});

test("point size and box are settings of the page", async () => {
  await changed("pointnet-a", () => panel().getByRole("slider", { name: "Point size" }).press("ArrowRight"));
  await changed("pointnet-a", () => panel().getByRole("switch", { name: "Bounding box" }).click());
  await expect.poll(() => hash(page)).toMatch(/mesh\.size=2\.5.*mesh\.box=0|mesh\.box=0.*mesh\.size=2\.5/);
});

test("what cannot be shown has a sentence, and the rest is drawn", async () => {
  expectProblems(/409/);
  page = await open(board, "#meshes&mesh.tag=odd/holes");
  await drawn("pointnet-a");
  const notes = page.getByRole("article").getByRole("listitem");
  await expect
    .poll(() => notes.allInnerTexts())
    .toEqual([
      "The colors are not shown: There are 7 for 96 vertices.",
      "1 face with a vertex that does not exist cannot be drawn.",
      "1 vertex with NaN or infinity cannot be drawn.",
    ]);
  page = await open(board, "#meshes&mesh.tag=odd/no-vertices");
  await expect.poll(() => alert().innerText()).toContain("This mesh has 0 vertices");
});

test("a sample or a camera that the URL invents does no harm", async () => {
  expectProblems(/404/);
  const camera = encodeURIComponent(JSON.stringify({ "": { yaw: "x", pan: 3 } }));
  page = await open(board, `${TORUS}&mesh.sample=1e9&mesh.camera=${camera}`);
  await expect.poll(() => alert().first().innerText()).toContain("This step has 2 samples");
  await page.getByRole("button", { name: "Sample 1000 of 1000" }).click();
  await page.getByRole("menuitemradio", { name: "2 of 1000", exact: true }).click();
  await drawn();
});

test("downloads the picture and the mesh", async () => {
  const save = (choice: string | RegExp) => async (): Promise<void> => {
    await page.getByRole("button", { name: "Download pointnet-a" }).click();
    await page.getByRole("menuitem", { name: choice }).click();
  };
  const png = await downloaded(page, save("Picture, PNG"));
  expect(png.name).toBe("eval-knot-400-0.png");
  expect(png.bytes.subarray(1, 4).toString()).toBe("PNG");
  const ply = await downloaded(page, save(/Mesh, PLY/));
  expect(ply.name).toBe("eval-knot-400-0.ply");
  expect(ply.bytes.toString("latin1")).toMatch(/^ply\n[\s\S]*element vertex 20000\n[\s\S]*end_header\n/);
});

test("a new step appears while the newest is shown", async () => {
  const own = await Board.on("meshes");
  page = await open(own, "#meshes", { realTime: true });
  await drawn();
  own.write("pointnet-a", `log.add_mesh("eval/knot", [[[0, 0, 0], [1, 1, 1], [2, 0, 1]]], global_step=900)`);
  await expect.poll(() => plot("pointnet-a").getAttribute("aria-label")).toContain("at step 900, 3 points");
});

test("without meshes, the tab has the code that logs them", async () => {
  const own = await Board.on("one");
  page = await open(own, "#meshes");
  await expect.poll(() => page.getByText("log.add_mesh(").count()).toBe(1);
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, TORUS, { colorScheme });
    await drawn();
    await golden(page, `meshes-${colorScheme}`);
    await accessible(page);
  });
});

test("fits a phone", async () => {
  page = await open(board, "#meshes", { viewport: PHONE });
  await drawn();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await golden(page, "meshes-phone");
  await accessible(page);
});
