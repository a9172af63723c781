/** What is in the folder of a run: its files, and the end of its console output. Both are read again while the run may still write. */
import { request } from "../../api/client";
import type { ConsoleOutput, RunFileList } from "../../api/types";
import { board } from "../../app/board.svelte";
import { runStates } from "../../app/runStates";

const FILES_EVERY_MS = 5000;
const CONSOLE_EVERY_MS = 1500;
const FIRST_BYTES = 64 << 10;
const MAX_BYTES = 4 << 20;

/** Calls `load` now, and again and again while the run is open and the page is visible. Returns a function that stops it. */
function keepLoading(run: string, everyMs: number, load: (signal: AbortSignal) => Promise<void>): () => void {
  const stop = new AbortController();
  let isLoading = false;
  const tick = (): void => {
    if (isLoading) return;
    isLoading = true;
    void load(stop.signal).finally(() => (isLoading = false));
  };
  const timer = setInterval(() => {
    if (runStates[board.state(run)].isOpen && !document.hidden) tick();
  }, everyMs);
  tick();
  return () => {
    clearInterval(timer);
    stop.abort();
  };
}

export class RunFiles {
  list = $state.raw<RunFileList | null>(null);
  error = $state.raw<Error | null>(null);

  follow(run: () => string | null): void {
    $effect(() => {
      const id = run();
      if (id === null) return;
      // Its last files appear when it ends.
      void board.state(id);
      return keepLoading(id, FILES_EVERY_MS, (signal) => this.#load(id, signal));
    });
  }

  async #load(run: string, signal: AbortSignal): Promise<void> {
    try {
      const response = await request(`runs/files?run=${encodeURIComponent(run)}`, { signal });
      this.list = (await response.json()) as RunFileList;
      this.error = null;
    } catch (reason) {
      if (!signal.aborted) this.error = reason instanceof Error ? reason : new Error(String(reason));
    }
  }
}

export class RunConsole {
  output = $state.raw<ConsoleOutput | null>(null);
  error = $state.raw<Error | null>(null);
  #maxBytes = $state(FIRST_BYTES);
  canShowMore = $derived((this.output?.is_cut ?? false) && this.#maxBytes < MAX_BYTES);

  follow(source: () => { run: string; file: string } | null): void {
    $effect(() => {
      const from = source();
      const maxBytes = this.#maxBytes;
      if (!from) return;
      void board.state(from.run);
      return keepLoading(from.run, CONSOLE_EVERY_MS, (signal) => this.#load(from.run, from.file, maxBytes, signal));
    });
  }

  showMore(): void {
    this.#maxBytes = Math.min(MAX_BYTES, 8 * this.#maxBytes);
  }

  async #load(run: string, file: string, maxBytes: number, signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams({ run, file, bytes: String(maxBytes) });
    try {
      const response = await request(`runs/console?${query}`, { signal });
      const output = (await response.json()) as ConsoleOutput;
      const before = this.output;
      // The same object while nothing is new, so that a selection of text stays.
      if (before?.text !== output.text || before.bytes !== output.bytes) this.output = output;
      this.error = null;
    } catch (reason) {
      if (!signal.aborted) this.error = reason instanceof Error ? reason : new Error(String(reason));
    }
  }
}
