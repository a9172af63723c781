/* Measures how fast the Histograms tab is drawn, and frame times while scrolling images, in real Chromium without a GPU.

     node bench/views/views.mjs [LOGDIR]      creates a logdir if none is given; the UI must be built

   Targets: 200 tensors × 200 steps are drawn within 1 s of the click, and 2000 images scroll with p95 < 50 ms per frame. "CPU" is the CPU time
   of the server, which changes less on a busy machine. */
import { readFileSync } from "node:fs";
import { launch, startBoard } from "../frames/board.mjs";
import { makeLogdir, measure, print } from "../frames/measure.mjs";

const TRIES = 3;
const DRAWN_PX = 2000;

/** Returns the milliseconds from the click on the tab until the first card, and until every visible card, is drawn. */
async function openHistograms(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}#charts`);
  await page.locator("canvas").first().waitFor();
  await page.waitForTimeout(1500);
  await page.evaluate((minPixels) => {
    const isDrawn = (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let sum = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i]) sum++;
      return sum > minPixels;
    };
    const visibleCards = () =>
      [...document.querySelectorAll('section[aria-label="Histograms"] article.card')].filter(
        (card) => card.getBoundingClientRect().top < innerHeight,
      );
    window.drawn = {};
    const check = (started) => {
      const all = visibleCards().map((card) => card.querySelector("canvas"));
      if (!window.drawn.first && all.some((canvas) => canvas && isDrawn(canvas)))
        window.drawn.first = performance.now() - started;
      if (all.length && all.every((canvas) => canvas && isDrawn(canvas)))
        window.drawn.all = performance.now() - started;
      else requestAnimationFrame(() => check(started));
    };
    addEventListener("click", () => check(performance.now()), { once: true, capture: true });
  }, DRAWN_PX);
  await page
    .getByRole("link", { name: "Histograms" })
    .or(page.getByRole("tab", { name: "Histograms" }))
    .first()
    .click();
  await page.waitForFunction(() => window.drawn.all, null, { timeout: 60_000 });
  const drawn = await page.evaluate(() => window.drawn);
  await page.close();
  return drawn;
}

/** Returns the CPU seconds that a process has used. */
function cpuSecs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Opens the histograms of a new board, whose response cache is empty. */
async function openFirst(browser, logdir) {
  const { server, url } = startBoard(logdir);
  try {
    const address = await url;
    const before = cpuSecs(server.pid);
    return { ...(await openHistograms(browser, address)), cpu: cpuSecs(server.pid) - before };
  } finally {
    server.kill("SIGTERM");
  }
}

const logdir = process.argv[2] || makeLogdir("bench/views/logdir.py");
const { server, url } = startBoard(logdir);
const browser = await launch();
try {
  const opened = [];
  for (let i = 0; i < TRIES; i++) opened.push(await openFirst(browser, logdir));
  const { first, all, cpu } = opened.sort((a, b) => a.first - b.first)[TRIES >> 1];
  console.log(
    `histograms, 201 tensors × 200 steps: first drawn ${first.toFixed(0)} ms after the click (target < 1000 ms), all visible ${all.toFixed(0)} ms; CPU ${cpu.toFixed(2)} s`,
  );

  const address = await url;
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${address}#histograms&hist.shape=heat`);
  await page.waitForTimeout(3000);
  await page.mouse.move(900, 400);
  print("scroll, 201 heat maps", await measure(page, () => page.mouse.wheel(0, 60)));
  print("crosshair over 20 heat maps", await measure(page, (i) => page.mouse.move(700 + (i % 60), 300)));
  await page.goto(`${address}#images&img.size=small`);
  await page.locator("figure img").first().waitFor();
  await page.waitForTimeout(2000);
  await page.mouse.move(900, 400);
  print("scroll, 2000 images", await measure(page, () => page.mouse.wheel(0, 120)));
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
