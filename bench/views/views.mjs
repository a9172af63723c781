/* How soon a page of histograms is drawn, and how smoothly a grid of images scrolls, in real Chromium without a GPU.

     node bench/views/views.mjs [LOGDIR]      makes the logdir first where none is given; the UI must be built

   Promised: 200 tensors × 200 steps first drawn within 1 s of the click, 2000 images scrolled with p95 < 50 ms a frame. "CPU" is the
   server's, which a busy machine does not change. */
import { readFileSync } from "node:fs";
import { launch, startBoard } from "../frames/board.mjs";
import { makeLogdir, measure, print } from "../frames/measure.mjs";

const TRIES = 3;
const DRAWN_PX = 2000;

/** Milliseconds from the click on the tab until the first card, and every card in sight, has its picture. */
async function openHistograms(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}#charts`);
  await page.locator("canvas").first().waitFor();
  await page.waitForTimeout(1500);
  await page.evaluate((least) => {
    const inked = (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let sum = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i]) sum++;
      return sum > least;
    };
    const inSight = () =>
      [...document.querySelectorAll('section[aria-label="Histograms"] article.card')].filter(
        (card) => card.getBoundingClientRect().top < innerHeight,
      );
    window.drawn = {};
    const look = (began) => {
      const all = inSight().map((card) => card.querySelector("canvas"));
      if (!window.drawn.first && all.some((canvas) => canvas && inked(canvas)))
        window.drawn.first = performance.now() - began;
      if (all.length && all.every((canvas) => canvas && inked(canvas))) window.drawn.all = performance.now() - began;
      else requestAnimationFrame(() => look(began));
    };
    addEventListener("click", () => look(performance.now()), { once: true, capture: true });
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

/** The processor seconds that a process has used. */
function cpuSecs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** On a board of its own: one that was asked before answers from memory. */
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
    `histograms, 201 tensors × 200 steps: first drawn ${first.toFixed(0)} ms after the click (wanted < 1000 ms), all in sight ${all.toFixed(0)} ms; CPU ${cpu.toFixed(2)} s`,
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
