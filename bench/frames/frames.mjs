/* Measures frame times while scrolling, zooming and hovering over charts, in real Chromium without a GPU.

     node bench/frames/frames.mjs [LOGDIR]      creates a logdir if none is given; the UI must be built

   The target is p95 < 50 ms. */
import { launch, startBoard } from "./board.mjs";
import { makeLogdir, measure, print } from "./measure.mjs";

async function open(browser, url, hash, tag) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 1080 } });
  await page.goto(url + hash);
  await page.waitForFunction(
    (tag) =>
      [...document.querySelectorAll(`[data-card="${tag}"] .plot, .full .plot[role=img]`)].some((plot) =>
        /lines?$/.test(plot.getAttribute("aria-label") ?? ""),
      ),
    tag,
    { timeout: 60_000 },
  );
  await page.mouse.move(900, 400);
  await page.waitForTimeout(1000);
  await page.mouse.move(902, 400);
  return page;
}

async function wheelZoom(page, i) {
  await page.mouse.wheel(0, i % 40 < 20 ? -20 : 20);
}

const { server, url } = startBoard(process.argv[2] || makeLogdir("bench/frames/logdir.py"));
const browser = await launch();
try {
  const scroll = await open(browser, await url, "#charts", "group0/tag0");
  print("scroll, 12 charts × 10 runs × 1000 points", await measure(scroll, () => scroll.mouse.wheel(0, 40)));
  await scroll.close();

  const linked = await open(browser, await url, "#charts&link=1", "group0/tag0");
  await linked.keyboard.down("Control");
  print("zoom, 12 linked charts", await measure(linked, (i) => wheelZoom(linked, i)));
  await linked.close();

  const hover = await open(browser, await url, "#charts", "group0/tag0");
  print("crosshair over 12 charts", await measure(hover, (i) => hover.mouse.move(700 + (i % 60) * 3, 300)));
  await hover.close();

  const many = await open(browser, await url, "#charts&full=many/loss", "many/loss");
  await many.keyboard.down("Control");
  print("zoom, one chart with 1,000,000 points", await measure(many, (i) => wheelZoom(many, i)));
  await many.keyboard.up("Control");
  await many.mouse.down({ button: "middle" });
  print("pan, one chart with 1,000,000 points", await measure(many, (i) => many.mouse.move(900 + (i % 40) * 4, 400)));
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
