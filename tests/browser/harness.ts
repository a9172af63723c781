/* Starts a real board on a logdir made for the test, and drives it in a real Chromium. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from "playwright-core";
import type { BoardInfo } from "../../ui/src/api/types";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));
const PYTHON = join(ROOT, ".venv/bin/python");

/** The browser's time; logdirs.py writes its points before it. */
export const NOW_MS = 1_770_000_000_000;
/** Limit for one step of a test. Generous, because a busy machine is slow and not wrong. */
const STEP_MS = 30_000;
/** Limit for an event that several steps lead to. Each of them has its own limit. */
export const EVENT_MS = 3 * STEP_MS;
/** Limit for the start of a process. */
const START_MS = 90_000;
/** A board that is told to stop gives its open connections 3 seconds. */
const STOP_MS = 20_000;
/** A tap without effect after this time was taken for a long press. */
const LONG_PRESS_MS = 4000;
/** Longer than every timer of the page that ends in a request. */
const PAGE_TIMERS_MS = 400;
export const DESK = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Holds the logdirs, and the home of every process that the tests start. */
let scratch = "";
const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let browser: Promise<Browser> | undefined;
/** Boards that the current test started, and boards for all tests of a file, started in its beforeAll. */
const boards = { test: [] as Board[], file: [] as Board[] };
let isInTest = false;
const logdirs = new Map<Recipe, string>();
const contexts: BrowserContext[] = [];
const problems: string[] = [];
const expectedProblems: RegExp[] = [];
const traffic = new WeakMap<Page, Traffic>();

export type Recipe =
  | "few"
  | "one"
  | "thousand"
  | "none"
  | "things"
  | "charts"
  | "many-tags"
  | "batches"
  | "unknown-plugin"
  | "findings"
  | "embeddings"
  | "attention"
  | "pr-curves"
  | "meshes"
  | "tensors"
  | "graphs"
  | "sweep"
  | "pages"
  | "search"
  | "settings-in-names"
  | "seeds";

export class Board {
  #server: ChildProcess | undefined;
  url = "";

  constructor(
    readonly logdir: string,
    private readonly flags: string[] = [],
    private readonly command: string[] = [join(HERE, "serve.py")],
  ) {}

  /** A new logdir by a recipe of logdirs.py, and a board on it. */
  static async on(recipe: Recipe, ...flags: string[]): Promise<Board> {
    const logdir = newFolder("board-");
    cpSync(logdirOf(recipe), logdir, { recursive: true, preserveTimestamps: true });
    return Board.launch(new Board(logdir, flags));
  }

  /** Starts a board, which stops at the end of the test or of the file. */
  static async launch(board: Board): Promise<Board> {
    // Before the start, so that a board is also stopped when its start fails or its hook times out.
    boards[isInTest ? "test" : "file"].push(board);
    await board.start();
    return board;
  }

  /** With the same port as before, when it was stopped and starts again. */
  async start(): Promise<void> {
    if (!this.url) return this.#launch("0");
    // While the board was down, the system may have given its port to an outgoing connection for a moment.
    await eventually(() => this.#launch(new URL(this.url).port));
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server?.pid || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    const impatient = setTimeout(() => server.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(impatient);
  }

  async runId(name: string): Promise<string> {
    const { runs } = (await (await fetch(`${this.url}api/board`)).json()) as BoardInfo;
    return runs.find((run) => run.name === name)!.id;
  }

  /** Logs points as training would, now. */
  log(run: string, tag: string, values: number[], firstStep = 0): void {
    const points = JSON.stringify(values);
    this.write(
      run,
      `for step, value in enumerate(${points}, ${firstStep}): log.add_scalar(${JSON.stringify(tag)}, value, step)`,
    );
  }

  /** Runs a line of Python with `log`, a SummaryWriter of the run, which is left as of a training that goes on: without an end. */
  write(run: string, line: string): void {
    const code = `import os, sys\nfrom lossboard import SummaryWriter\nlog = SummaryWriter(sys.argv[1])\n${line}\nos._exit(0)\n`;
    python("-c", code, join(this.logdir, run));
  }

  async #launch(port: string): Promise<void> {
    const flags = ["--logdir", this.logdir, "--port", port, ...this.flags];
    // The board ends when the pipe to its stdin closes, at the latest with this process.
    const server = spawn(PYTHON, [...this.command, ...flags], { cwd: ROOT, env: environment(), stdio: "pipe" });
    this.#server = server;
    this.url = await printedLink(server);
    await this.#isRead();
  }

  /** Waits until the board has read the logdir and judged its runs, which marks those with findings. */
  async #isRead(): Promise<void> {
    await eventually(async () => {
      const board = (await (await fetch(`${this.url}api/board`)).json()) as BoardInfo;
      if (board.loading || board.judged < board.cursor) throw new Error("The board has not read its logdir.");
    });
  }
}

/** A path for a logdir. All end in the same word, which the page has in its title. */
export function newFolder(prefix: string): string {
  return join(mkdtempSync(join(scratch, prefix)), "runs");
}

/** Makes the logdir of a recipe once per file: a copy is cheaper than another Python process. */
function logdirOf(recipe: Recipe): string {
  const made = logdirs.get(recipe);
  if (made) return made;
  const logdir = newFolder("logdir-");
  python(join(HERE, "logdirs.py"), recipe, logdir);
  logdirs.set(recipe, logdir);
  return logdir;
}

/** The address that a board prints once it listens. Rejects with the board's output when there is none. */
function printedLink(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (what: string): void => {
      clearTimeout(late);
      reject(new Error(`The board ${what}. Its output: ${output.trim() || "none"}`));
    };
    const late = setTimeout(() => {
      server.kill("SIGKILL");
      fail(`did not print its address within ${START_MS / 1000} s`);
    }, START_MS);
    const hear = (chunk: Buffer): void => {
      output += chunk.toString();
      const link = /^Lossboard \S+ at (http:\S+)\s/m.exec(output)?.[1];
      if (!link) return;
      clearTimeout(late);
      resolve(link);
    };
    server.stdout?.on("data", hear);
    server.stderr?.on("data", hear);
    server.on("error", (error) => fail(`could not be started: ${error.message}`));
    // Not at `exit`: the rest of the output may still be in the pipes then.
    server.on("close", (code, signal) => fail(`ended with ${signal ?? `status ${code}`}`));
  });
}

export interface Look extends BrowserContextOptions {
  /** Uses the real time instead of the fixed one that screens need. */
  realTime?: boolean;
  /** Folder with another build of the UI. The API is the board's. */
  web?: string;
  /** Kinds that the board reports in addition to those of the logdir, with the number of their tags. */
  kinds?: Record<string, number>;
}

/** Opens a page with its own browser profile. Any error that it reports fails the test. */
export async function open(board: Board, hash = "", look: Look = {}): Promise<Page> {
  const { realTime, web, kinds, ...options } = look;
  const context = await (
    await (browser ??= launch())
  ).newContext({
    viewport: DESK,
    reducedMotion: "reduce",
    locale: "en-US",
    timezoneId: "UTC",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  contexts.push(context);
  await context.addInitScript(tellWhenFollowing);
  if (web) await serveFrom(context, board, web);
  if (kinds) await addKinds(context, kinds);
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS);
  if (!realTime) await page.clock.setFixedTime(NOW_MS);
  traffic.set(page, new Traffic(page));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on(
    "request",
    (request) =>
      new URL(request.url()).origin !== new URL(board.url).origin &&
      !/^(data|blob):/.test(request.url()) &&
      problems.push(`asked elsewhere: ${request.url()}`),
  );
  await page.goto(board.url + hash);
  await page.locator("body").waitFor();
  return page;
}

async function serveFrom(context: BrowserContext, board: Board, web: string): Promise<void> {
  const { origin } = new URL(board.url);
  const policy = (await fetch(board.url)).headers.get("content-security-policy") ?? "";
  await context.route(
    (url) => url.origin === origin && !url.pathname.startsWith("/api/"),
    (route) => {
      const path = join(web, new URL(route.request().url()).pathname.slice(1) || "index.html");
      return route.fulfill({ path, headers: { "content-security-policy": policy } });
    },
  );
}

async function addKinds(context: BrowserContext, kinds: Record<string, number>): Promise<void> {
  await context.route("**/api/board", async (route) => {
    // Not with route.fetch(): closing the context takes its response away.
    const response = await fetch(route.request().url());
    const info = (await response.json()) as { kinds: Record<string, number> };
    await route.fulfill({ json: { ...info, kinds: { ...info.kinds, ...kinds } } });
  });
}

/** Builds the UI with another configuration of Vite, and returns the folder. */
export function buildUi(config: string): string {
  const web = mkdtempSync(join(scratch, "web-"));
  execFileSync("npx", ["vite", "build", "--config", config, "--outDir", web], {
    cwd: join(ROOT, "ui"),
    // Vitest's own environment would make a development build.
    env: { ...environment(), NODE_ENV: "production", VITEST: "" },
    stdio: ["ignore", "ignore", "inherit"],
    timeout: START_MS,
  });
  return web;
}

/** Launches the Chromium for all tests of a file, and another one after a crash or a failed launch. */
async function launch(): Promise<Browser> {
  const forget = (): void => void (browser = undefined);
  try {
    const launched = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: CHROMIUM_FLAGS,
      env: environment(),
      timeout: START_MS,
    });
    return launched.on("disconnected", forget);
  } catch (reason) {
    forget();
    throw reason;
  }
}

/** Allows errors that a test provokes on purpose, at any time in the test. */
export function expectProblems(pattern: RegExp): void {
  expectedProblems.push(pattern);
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

/** Requests of a page that have no whole response yet, and how many it has sent. */
class Traffic {
  readonly pending = new Set<Request>();
  sent = 0;

  constructor(page: Page) {
    page.on("request", (request) => this.#count(page, request));
    page.on("requestfinished", (request) => this.pending.delete(request));
    page.on("requestfailed", (request) => this.pending.delete(request));
  }

  #count(page: Page, request: Request): void {
    // The stream of live events never ends.
    if (new URL(request.url()).pathname.endsWith("/api/live")) return;
    // A new document does not wait for the requests of the old one.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) this.pending.clear();
    this.pending.add(request);
    this.sent += 1;
  }
}

/** Runs in the page before its own scripts. Marks the moment from which live events reach the page. */
function tellWhenFollowing(): void {
  window.EventSource = class extends EventSource {
    constructor(url: string | URL) {
      super(url);
      this.addEventListener("at", () => Object.assign(window, { isFollowing: true }));
    }
  };
}

/** Waits until the page gets live events and has no request under way or planned. Every later request has a new cause. */
export async function settled(page: Page): Promise<void> {
  const requests = traffic.get(page)!;
  await page.waitForFunction(() => "isFollowing" in window);
  await eventually(async () => {
    const before = requests.sent;
    // A page's timers fire in the order in which they are due. So all shorter ones that were set before have fired after this one.
    await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), PAGE_TIMERS_MS);
    expect({ sent: requests.sent - before, pending: requests.pending.size }).toEqual({ sent: 0, pending: 0 });
  });
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns where an element is on screen, once it has stayed there for three frames. */
export async function steadyBox(what: Locator): Promise<Box> {
  let box: Box | undefined;
  await eventually(async () => {
    box = await what.evaluate(async (node) => {
      let [last, frames] = ["", 0];
      for (;;) {
        const { x, y, width, height } = node.getBoundingClientRect();
        if (!node.isConnected || width === 0) throw new Error("The element is not on screen.");
        const now = JSON.stringify({ x, y, width, height });
        frames = now === last ? frames + 1 : 0;
        if (frames === 3) return { x, y, width, height };
        last = now;
        await new Promise(requestAnimationFrame);
      }
    });
  });
  return box!;
}

/** Taps until it has worked: of a finger that a busy machine holds down for half a second, the browser makes a long press. */
export async function tap(what: Locator, worked: () => Promise<boolean>): Promise<void> {
  await eventually(async () => {
    if (await worked()) return;
    await what.tap();
    await eventually(async () => expect(await worked()).toBe(true), LONG_PRESS_MS);
  });
}

export function hash(page: Page): string {
  return decodeURIComponent(new URL(page.url()).hash);
}

/** What the page hands over when `act` is done: the file's name and its bytes. */
export async function downloaded(page: Page, act: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent("download", { timeout: EVENT_MS }), act()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Makes child processes independent of the caller: a writable home without settings or fonts of the user, and UTF-8 whatever LANG is. */
function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOME: scratch,
    XDG_CONFIG_HOME: undefined,
    XDG_CACHE_HOME: undefined,
    XDG_DATA_HOME: undefined,
    PYTHONUTF8: "1",
  };
}

export function python(...args: string[]): void {
  execFileSync(PYTHON, args, {
    cwd: ROOT,
    env: environment(),
    stdio: ["ignore", "ignore", "inherit"],
    timeout: START_MS,
  });
}

// A worker whose Vitest was killed would go on to the end of its file. By a signal, because Vitest forbids process.exit here.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "lossboard-browser-"));
});

beforeEach(() => {
  isInTest = true;
});

afterEach(async () => {
  isInTest = false;
  // Settled, not all: after a crash of the browser they cannot be closed.
  await Promise.allSettled(contexts.splice(0).map((context) => context.close()));
  await stopAll(boards.test);
  const expected = expectedProblems.splice(0);
  expect(problems.splice(0).filter((problem) => !expected.some((pattern) => pattern.test(problem)))).toEqual([]);
});

afterAll(async () => {
  await stopAll(boards.file);
  await (await browser)?.close();
  rmSync(scratch, { recursive: true, force: true });
});

async function stopAll(running: Board[]): Promise<void> {
  await Promise.all(running.splice(0).map((board) => board.stop()));
}
