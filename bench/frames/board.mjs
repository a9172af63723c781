/* Starts a board and a real Chromium for benchmarks. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";

export const ROOT = new URL("../../", import.meta.url).pathname;
export const PYTHON = join(ROOT, ".venv/bin/python");
const { chromium } = createRequire(join(ROOT, "ui/package.json"))("playwright-core");

/** Returns the process of the board, and its URL as soon as it prints one. */
export function startBoard(logdir) {
  const server = spawn(PYTHON, ["-m", "lossboard.cli.main", "--logdir", logdir, "--port", "0"], { cwd: ROOT });
  const url = new Promise((resolve, reject) => {
    let output = "";
    const findUrl = (chunk) => {
      output += chunk;
      const found = /http:\/\/\S+/.exec(output);
      if (found) resolve(found[0]);
    };
    server.stdout.on("data", findUrl);
    server.stderr.on("data", findUrl);
    server.on("exit", () => reject(new Error(`The board exited: ${output}`)));
  });
  return { server, url };
}

export function launch(...flags) {
  const args = ["--no-sandbox", ...flags];
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
}
