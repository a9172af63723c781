/* Measures how long a chart of 1000 runs takes as groups, in real Chromium.

     node bench/frames/groups.mjs [LOGDIR]      creates a logdir if none is given; the UI must be built

   From the change of the URL to the frame after the chart has one line for each group, the median of five. The same runs as single lines with a
   density are the peer. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, PYTHON, ROOT, startBoard } from "./board.mjs";

const TRIES = 5;
const GROUPS = 10;

/** Opens a state in a page that shows another one, and returns the milliseconds until the first chart has that many lines. */
async function change(page, hash, lines) {
  await page.evaluate((hash) => {
    window.changedAt = performance.now();
    location.hash = hash;
  }, hash);
  const drawn = await page.waitForFunction(
    (lines) => {
      const label = document.querySelector("article .plot")?.getAttribute("aria-label") ?? "";
      return label.endsWith(`: ${lines} lines`) && performance.now() - window.changedAt;
    },
    lines,
    { polling: "raf", timeout: 60_000 },
  );
  return drawn.jsonValue();
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
const print = (name, ms, target) =>
  console.log(`${name.padEnd(58)} ${`${(ms / 1000).toFixed(2)} s`.padStart(26)}   ${target}`);

const made = process.argv[2] ? null : mkdtempSync(join(tmpdir(), "groups-"));
if (made) execFileSync(PYTHON, [join(ROOT, "bench/frames/grouped_logdir.py"), made], { stdio: "inherit" });
const browser = await launch();
const { server, url } = startBoard(process.argv[2] ?? made);
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(await url);
  await page.waitForFunction(() => document.querySelector("article .plot")?.ariaLabel?.endsWith("60 lines"), null, {
    timeout: 60_000,
  });
  const times = { grouped: [], single: [] };
  for (let i = 0; i < TRIES; i++) {
    // Another smoothing each time, so that neither the page nor the server has the response.
    times.grouped.push(await change(page, `charts&by=lr&smooth=0.${10 + i}`, GROUPS));
    times.single.push(await change(page, `charts&smooth=0.${20 + i}`, 60));
  }
  const [grouped, single] = [median(times.grouped), median(times.single)];
  print("a chart of 1000 runs as ten groups", grouped, "target < 0.8 s");
  print("the same runs as lines and a density", single, `${(single / grouped).toFixed(1)} times the groups`);
} finally {
  server.kill("SIGTERM");
  await browser.close();
  if (made) rmSync(made, { recursive: true });
}
