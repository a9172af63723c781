/* Measures frame times during a gesture. "p50" and "p95" are percentiles of the time between two animation frames. "CPU" is the CPU time that the
   page and its drawing take per frame. It changes less on a busy machine. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PYTHON, ROOT } from "./board.mjs";

const FRAMES = 120;

/** Creates a logdir with a script of the repository. It is deleted at exit. */
export function makeLogdir(script) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true }));
  const logdir = join(folder, "runs");
  execFileSync(PYTHON, [join(ROOT, script), logdir], { stdio: "inherit" });
  return logdir;
}

/** Returns the CPU milliseconds that the pages of the browser and their drawing have used. */
async function cpuMs(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo
    .filter(({ type }) => type === "renderer" || type === "GPU")
    .reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
}

/** Runs `gesture` repeatedly and returns the frame times. */
export async function measure(page, gesture) {
  const browser = page.context().browser();
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
  const before = await cpuMs(browser);
  for (let i = 0; i < FRAMES; i++) await gesture(i);
  const after = await cpuMs(browser);
  const lengths = await page.evaluate(() => (cancelAnimationFrame(window.frames_id), window.frames_ms.slice(2)));
  lengths.sort((a, b) => a - b);
  const at = (share) => lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * share))];
  return { p50: at(0.5), p95: at(0.95), cpu: (after - before) / lengths.length };
}

export function print(name, { p50, p95, cpu }, target = 50) {
  console.log(
    `${name.padEnd(44)} p50 ${p50.toFixed(1).padStart(6)} ms   p95 ${p95.toFixed(1).padStart(6)} ms   target < ${target} ms   CPU ${cpu.toFixed(1).padStart(5)} ms per frame`,
  );
}
