/* What the measurements in a real Chromium share: a board on a logdir, and a browser. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";

export const ROOT = new URL("../../", import.meta.url).pathname;
export const PYTHON = join(ROOT, ".venv/bin/python");
const { chromium } = createRequire(join(ROOT, "ui/package.json"))("playwright-core");

/** The board's process, and its link as soon as that is said. */
export function startBoard(logdir) {
  const server = spawn(PYTHON, ["-m", "lossboard.cli.main", "--logdir", logdir, "--port", "0"], { cwd: ROOT });
  const url = new Promise((resolve, reject) => {
    let said = "";
    const hear = (chunk) => {
      said += chunk;
      const link = /http:\/\/\S+/.exec(said);
      if (link) resolve(link[0]);
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("exit", () => reject(new Error(`The board ended: ${said}`)));
  });
  return { server, url };
}

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}
