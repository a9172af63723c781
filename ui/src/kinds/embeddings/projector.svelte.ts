/* A projection that the server computes in the background. It is started again when the query changes, and each better layout replaces
   the one before. */
import { untrack } from "svelte";
import { ApiError, postJson } from "../../api/client";
import { postFrames } from "../../api/frames";
import type { ProjectionHead, ProjectionState } from "../../api/types";
import type { Layout } from "./camera";
import type { Source } from "./metadata";
import type { Method } from "./settings.svelte";

export interface ProjectionQuery {
  sources: Source[];
  method: Method;
  dimensions: 2 | 3;
  components?: number[];
  axes?: { from: number[]; to: number[] }[];
  spherize: boolean;
  cosine: boolean;
  neighbors: number;
  min_dist: number;
  perplexity: number;
}

export interface Projected {
  head: ProjectionHead;
  /** One per source; empty until the source has a layout. */
  layouts: Layout[];
}

const POLL_MS = 250;
/** Growing pauses, so that a long projection costs few requests. */
const MAX_POLL_MS = 1000;
const UNKNOWN_JOB = 404;

export class Projector {
  state = $state.raw<ProjectionState | null>(null);
  projected = $state.raw<Projected | null>(null);
  /** Why there is no projection. */
  error = $state.raw<string | null>(null);
  isPaused = $state(false);
  // Not with crypto.randomUUID(), which a page has only on localhost and over HTTPS.
  readonly #page = Math.random().toString(36).slice(2);
  #attempt = $state(0);

  isRunning = $derived(this.state?.state === "waiting" || this.state?.state === "running");

  /** Follows a query for as long as the effect lives that calls this. */
  follow(query: () => ProjectionQuery | null): void {
    $effect(() => {
      void this.#attempt;
      const next = query();
      const stop = new AbortController();
      if (next && !this.isPaused) untrack(() => void this.#run(next, stop.signal));
      return () => stop.abort();
    });
    $effect(() => () => void postJson("embeddings/cancel", { page: this.#page }).catch(() => undefined));
  }

  /** Cancels the projection. What is on screen stays. */
  pause(): void {
    this.isPaused = true;
    void postJson("embeddings/cancel", { page: this.#page }).catch((reason: unknown) => this.#fail(reason));
    this.state = null;
  }

  start(): void {
    this.isPaused = false;
    this.error = null;
    this.#attempt += 1;
  }

  async #run(query: ProjectionQuery, signal: AbortSignal): Promise<void> {
    this.error = null;
    try {
      const started = await postJson<ProjectionState>("embeddings/project", { ...query, page: this.#page }, signal);
      await this.#watch(started, signal);
    } catch (reason) {
      if (signal.aborted) return;
      // The server has restarted, or has dropped the result for newer ones.
      if (reason instanceof ApiError && reason.status === UNKNOWN_JOB && this.state) this.#attempt += 1;
      else this.#fail(reason);
    }
  }

  async #watch(started: ProjectionState, signal: AbortSignal): Promise<void> {
    let shown = -1;
    let pause = POLL_MS;
    for (let state = started; ;) {
      if (signal.aborted) return;
      this.state = state;
      if (state.state === "failed") return this.#fail(state.message ?? "The projection failed.");
      if (state.version > shown && state.version > 0) shown = await this.#fetch(state.job, signal);
      if (state.state === "done" || state.state === "cancelled") return;
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(MAX_POLL_MS, pause * 1.2);
      state = await postJson<ProjectionState>("embeddings/progress", { job: state.job }, signal);
    }
  }

  async #fetch(job: string, signal: AbortSignal): Promise<number> {
    const { head, tables } = await postFrames<ProjectionHead>("embeddings/points", { job }, signal);
    const layouts = tables.map(({ x, y, z }) => ({ x, y, ...(z && { z }) }) as Layout);
    if (!signal.aborted) this.projected = { head, layouts };
    return head.version;
  }

  #fail(reason: unknown): void {
    this.state = null;
    this.error = reason instanceof Error ? reason.message : String(reason);
  }
}
