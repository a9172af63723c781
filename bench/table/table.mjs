/* Measures the Table tab on 10,000 runs × 200 columns, in real Chromium without a GPU.

     node bench/table/table.mjs [LOGDIR]      creates a logdir if none is given; the UI must be built

   The target is p95 < 50 ms per frame while scrolling, down and sideways. The peer is a plain HTML table of 400 × 40 cells
   without any script: what the browser itself needs to scroll text. */
import { launch, startBoard } from "../frames/board.mjs";
import { makeLogdir, measure, print } from "../frames/measure.mjs";

const COLUMNS = 200;
const [PEER_ROWS, PEER_COLUMNS] = [400, 40];

/** Returns the ids of columns: the hyperparameters and last values of the metrics. */
function columns() {
  const settings = Array.from({ length: 196 }, (_, i) => `hp.part${Math.floor(i / 20)}.setting${i}`);
  return [...["eval/loss", "eval/accuracy", "train/loss", "train/grad_norm"].map((tag) => `last(${tag})`), ...settings];
}

async function scrolled(page, box, dx, dy) {
  await box.evaluate((node) => node.scrollTo(0, 0));
  const at = await box.boundingBox();
  await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
  return measure(page, () => page.mouse.wheel(dx, dy));
}

const { server, url } = startBoard(process.argv[2] || makeLogdir("bench/table/logdir.py"));
const browser = await launch();
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const address = `${await url}#table&t.columns=${encodeURIComponent(columns().join(","))}`;
  const grid = page.getByRole("grid", { name: "Runs and facts about them" });
  await page.goto(address);
  await page.waitForFunction(
    () => document.querySelector('[role="grid"][aria-rowcount="10001"]')?.getAttribute("aria-busy") === "false",
    null,
    { timeout: 300_000 },
  );
  const started = Date.now();
  await page.reload();
  await grid.and(page.locator('[aria-busy="false"]')).waitFor({ timeout: 120_000 });
  const count = Number(await grid.getAttribute("aria-colcount")) - 1;
  console.log(`10,000 runs × ${count} of ${COLUMNS} columns on screen ${Date.now() - started} ms after a reload`);
  await page.waitForTimeout(1500);
  print(`scroll down, 10,000 × ${count}`, await scrolled(page, grid, 0, 120));
  print(`scroll down fast, 10,000 × ${count}`, await scrolled(page, grid, 0, 4000));
  print(`scroll sideways, 10,000 × ${count}`, await scrolled(page, grid, 120, 0));
  print(`scroll both ways, 10,000 × ${count}`, await scrolled(page, grid, 80, 300));

  const plain = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await plain.setContent(
    `<div id="box" style="height:880px;overflow:auto;font:13px/28px sans-serif"><table>${Array.from(
      { length: PEER_ROWS },
      (_, row) =>
        `<tr>${Array.from({ length: PEER_COLUMNS }, (_, column) => `<td style="min-width:100px">${row * column}</td>`).join("")}</tr>`,
    ).join("")}</table></div>`,
  );
  print(`peer: a plain table, ${PEER_ROWS} × ${PEER_COLUMNS}`, await scrolled(plain, plain.locator("#box"), 0, 80));
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
