/* Starts a real board on a logdir made for the test, and drives it in a real Chromium. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, expect } from "vitest";

export const ROOT = new URL("../../", import.meta.url).pathname;
const HERE = new URL(".", import.meta.url).pathname;
const PYTHON = join(ROOT, ".venv/bin/python");

/** The browser's time; logdirs.py writes its points before it. */
export const NOW_MS = 1_770_000_000_000;
/** How long one step may take before the test fails and says which. A machine that does other things is slow, not wrong. */
const STEP_MS = 30_000;
/** A tap that has not worked after this was none. */
const LONG_PRESS_MS = 4000;
export const DESK = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

let browser: Browser | undefined;
const boards: Board[] = [];
const contexts: BrowserContext[] = [];
const problems: string[] = [];

export type Recipe = "few" | "one" | "thousand" | "none" | "things" | "charts" | "many-tags" | "batches";

export class Board {
  #server: ChildProcess | undefined;
  url = "";

  constructor(
    readonly logdir: string,
    private readonly flags: string[] = [],
  ) {}

  /** A new logdir by a recipe of logdirs.py, and a board on it. */
  static async on(recipe: Recipe, ...flags: string[]): Promise<Board> {
    const logdir = join(mkdtempSync(join(tmpdir(), "board-")), "runs");
    python(join(HERE, "logdirs.py"), recipe, logdir);
    const board = new Board(logdir, flags);
    await board.start();
    boards.push(board);
    return board;
  }

  /** With the same port as before, when it was stopped and starts again. */
  async start(): Promise<void> {
    const port = this.url ? new URL(this.url).port : "0";
    const server = spawn(PYTHON, ["-m", "lossboard.cli.main", "--logdir", this.logdir, "--port", port, ...this.flags], { stdio: ["ignore", "pipe", "pipe"] });
    this.#server = server;
    this.url = await new Promise<string>((resolve, reject) => {
      let said = "";
      const hear = (chunk: Buffer) => {
        said += chunk;
        const link = /http:\/\/\S+(?=\s)/.exec(said);
        if (link) resolve(link[0]);
      };
      server.stdout.on("data", hear);
      server.stderr.on("data", hear);
      server.on("exit", (code) => reject(new Error(`The board ended with ${code}: ${said}`)));
    });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await ended;
  }

  /** Logs points as training would, now. */
  log(run: string, tag: string, values: number[], firstStep = 0): void {
    const points = JSON.stringify(values);
    this.write(run, `for step, value in enumerate(${points}, ${firstStep}): log.add_scalar(${JSON.stringify(tag)}, value, step)`);
  }

  /** Runs a line of Python with `log`, a SummaryWriter of the run, which is left as of a training that goes on: without an end. */
  write(run: string, line: string): void {
    const code = `import os, sys\nfrom lossboard import SummaryWriter\nlog = SummaryWriter(sys.argv[1])\n${line}\nos._exit(0)\n`;
    python("-c", code, join(this.logdir, run));
  }
}

export interface Look extends BrowserContextOptions {
  /** The real time, for what is about now; the screens have a fixed one. */
  realTime?: boolean;
}

/** A page of its own browser profile. What it reports as an error fails the test. */
export async function open(board: Board, hash = "", look: Look = {}): Promise<Page> {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const { realTime, ...options } = look;
  const context = await browser.newContext({ viewport: DESK, reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"], ...options });
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS);
  if (!realTime) await page.clock.setFixedTime(NOW_MS);
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => new URL(request.url()).origin !== new URL(board.url).origin && !/^(data|blob):/.test(request.url()) && problems.push(`asked elsewhere: ${request.url()}`));
  await page.goto(board.url + hash);
  await page.locator("body").waitFor();
  return page;
}

/** Errors that a test provokes on purpose. */
export function expectProblems(pattern: RegExp): void {
  const left = problems.filter((problem) => !pattern.test(problem));
  problems.splice(0, problems.length, ...left);
}

/** Waits until the check passes: the board may need a moment, but not a fixed one. */
export async function eventually(check: () => Promise<void> | void, timeout_ms = STEP_MS): Promise<void> {
  const end = Date.now() + timeout_ms;
  for (;;) {
    try {
      await check();
      return;
    } catch (reason) {
      if (Date.now() > end) throw reason;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Taps until it has worked: of a finger that a busy machine holds down for half a second, the browser makes a long press. */
export async function tap(what: Locator, worked: () => Promise<boolean>): Promise<void> {
  await eventually(async () => {
    if (await worked()) return;
    await what.tap();
    await eventually(async () => expect(await worked()).toBe(true), LONG_PRESS_MS);
  });
}

export async function hash(page: Page): Promise<string> {
  return decodeURIComponent(new URL(page.url()).hash);
}

/** What the page hands over when `act` is done: the file's name and its bytes. */
export async function downloaded(page: Page, act: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

function python(...args: string[]): void {
  execFileSync(PYTHON, args, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
}

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  expect(problems.splice(0)).toEqual([]);
});

afterAll(async () => {
  await browser?.close();
  browser = undefined;
  for (const board of boards.splice(0)) {
    await board.stop();
    rmSync(join(board.logdir, ".."), { recursive: true, force: true });
  }
});
