/* Measures frame times while turning meshes, in real Chromium without a GPU.

     node bench/views/meshes.mjs [LOGDIR]      creates a logdir if none is given; the UI must be built

   The target is 20 frames per second: p95 < 50 ms. Linked clouds are both drawn in each frame. */
import { launch, startBoard } from "../frames/board.mjs";
import { makeLogdir, measure, print } from "../frames/measure.mjs";

async function turn(browser, url, hash) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(url + hash);
  const plot = page.getByRole("application").first();
  await page.waitForFunction(
    () => {
      const plots = [...document.querySelectorAll('[role="application"]')];
      return plots.length > 0 && plots.every((plot) => /points|faces/.test(plot.getAttribute("aria-label")));
    },
    null,
    { timeout: 60_000 },
  );
  await page.waitForTimeout(1000);
  const box = await plot.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const times = await measure(page, (i) => page.mouse.move(x + (i % 60) * 4, y + (i % 20) * 3));
  await page.close();
  return times;
}

const { server, url } = startBoard(process.argv[2] || makeLogdir("bench/views/mesh_logdir.py"));
const browser = await launch("--disable-gpu");
try {
  print("one cloud of 100,000 points", await turn(browser, await url, "#meshes&mesh.tag=one cloud"));
  print("two linked clouds of 100,000 points", await turn(browser, await url, "#meshes&mesh.tag=cloud"));
  print("a surface of 100,000 triangles", await turn(browser, await url, "#meshes&mesh.tag=surface"));
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
