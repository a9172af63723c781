/* How long a frame takes while a hand scrolls and zooms, in real Chromium without a GPU.

     node bench/frames/frames.mjs [LOGDIR]      makes the logdir first where none is given; the UI must be built

   "frame" is the time between two animation frames while the gesture goes on, "busy" the main thread's work in it: on a machine that
   does other things the second is the honest one. The promise is p95 < 50 ms. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, PYTHON, ROOT, startBoard } from "./board.mjs";

const FRAMES = 120;

function makeLogdir() {
  const logdir = join(mkdtempSync(join(tmpdir(), "frames-")), "runs");
  execFileSync(PYTHON, [join(ROOT, "bench/frames/logdir.py"), logdir], { stdio: "inherit" });
  return logdir;
}

/** Runs `gesture` once a frame, and gives the lengths of the frames and the main thread's work in each. */
async function measure(page, gesture) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const busy = async () => (await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value * 1000;
  await page.evaluate(() => {
    window.frames_ms = [];
    let last = performance.now();
    const tick = (now) => {
      window.frames_ms.push(now - last);
      last = now;
      window.frames_id = requestAnimationFrame(tick);
    };
    window.frames_id = requestAnimationFrame(tick);
  });
  const before = await busy();
  for (let i = 0; i < FRAMES; i++) await gesture(i);
  const after = await busy();
  const lengths = await page.evaluate(() => (cancelAnimationFrame(window.frames_id), window.frames_ms.slice(2)));
  lengths.sort((a, b) => a - b);
  const at = (share) => lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * share))];
  return { p50: at(0.5), p95: at(0.95), busy: (after - before) / lengths.length };
}

function print(name, { p50, p95, busy }, wanted = 50) {
  console.log(`${name.padEnd(44)} p50 ${p50.toFixed(1).padStart(6)} ms   p95 ${p95.toFixed(1).padStart(6)} ms   wanted < ${wanted} ms   busy ${busy.toFixed(1).padStart(5)} ms a frame`);
}

async function open(browser, url, hash, tag) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 1080 } });
  await page.goto(url + hash);
  await page.waitForFunction((tag) => [...document.querySelectorAll(`[data-card="${tag}"] .plot, .full .plot[role=img]`)].some((plot) => /lines?$/.test(plot.getAttribute("aria-label") ?? "")), tag, { timeout: 60_000 });
  await page.mouse.move(900, 400);
  await page.waitForTimeout(1000);
  await page.mouse.move(902, 400);
  return page;
}

async function wheelZoom(page, i) {
  await page.mouse.wheel(0, i % 40 < 20 ? -20 : 20);
}

const { server, url } = startBoard(process.argv[2] || makeLogdir());
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
  print("zoom, one chart of 1 000 000 points", await measure(many, (i) => wheelZoom(many, i)));
  await many.keyboard.up("Control");
  await many.mouse.down({ button: "middle" });
  print("pan, one chart of 1 000 000 points", await measure(many, (i) => many.mouse.move(900 + (i % 40) * 4, 400)));
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
