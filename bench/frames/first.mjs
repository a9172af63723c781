/* Measures the time until the first chart is on screen, in real Chromium.

     node bench/frames/first.mjs LOGDIR      the UI must be built

   First with a running board: from opening its URL until the first chart is drawn, the median of five. Then from the command line, with a
   browser that is already open. */
import { launch, startBoard } from "./board.mjs";

const TRIES = 5;

/** Returns the milliseconds from the navigation to the frame after the first chart has its lines. */
async function firstChart(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(url, { waitUntil: "commit" });
  const drawn = await page.waitForFunction(
    () => {
      const plot = document.querySelector("article .plot");
      return /\d lines?$/.test(plot?.getAttribute("aria-label") ?? "") && performance.now();
    },
    null,
    { polling: "raf", timeout: 60_000 },
  );
  const time = await drawn.jsonValue();
  await page.close();
  return time;
}

async function waitUntilLoaded(url) {
  while ((await (await fetch(`${url}api/board`)).json()).loading)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

const print = (name, ms, target) =>
  console.log(`${name.padEnd(58)} ${`${(ms / 1000).toFixed(2)} s`.padStart(26)}   target ${target}`);

const browser = await launch();
const started = [];
const start = () => (started.push(startBoard(process.argv[2])), started.at(-1));
try {
  const first = start();
  await waitUntilLoaded(await first.url);
  await firstChart(browser, await first.url);
  const times = [];
  for (let i = 0; i < TRIES; i++) times.push(await firstChart(browser, await first.url));
  first.server.kill("SIGTERM");
  print(
    "from opening the URL of a running board to the first chart",
    times.sort((a, b) => a - b)[TRIES >> 1],
    "< 0.8 s",
  );

  const began = performance.now();
  const second = start();
  await firstChart(browser, await second.url);
  print("from the command line to the first chart", performance.now() - began, "< 3 s");
} finally {
  for (const { server } of started) server.kill("SIGTERM");
  await browser.close();
}
