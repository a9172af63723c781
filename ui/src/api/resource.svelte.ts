/* Data from the server, by query. A `Resource` fetches, caches and updates what the page shows; a view declares one per route.
   `get` reads data, and `use` in an effect keeps it up to date. `Current` follows a query that changes. */
import { untrack } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import { onChanged, onConnection, onGrew } from "./live";
import type { Grew } from "./types";

/** Response to one batch of queries. */
export interface Fetched<Data> {
  /** The server's cursor when it read the data. */
  cursor: number;
  /** In the order of the queries. Undefined if the data has not changed after `since`. */
  data: (Data | Error | undefined)[];
}

export interface FetchOptions {
  /** A cursor, if the page has all of the data as of then. The server may send only what changed. */
  since?: number;
  signal: AbortSignal;
  /** Shows data until all of it has arrived. Not set if the page already has data. */
  preview?(data: unknown[]): void;
}

export interface ResourceOptions<Query, Data> {
  /** Requests the data of a batch. */
  fetch(queries: Query[], options: FetchOptions): Promise<Fetched<Data>>;
  /** Whether growth changes the data. Without it, only a reconnection does: a logged sample stays as it is. */
  affects?(event: Grew, query: Query, data: Data | undefined): boolean;
  /** Queries share a request only if this is equal. */
  batchKey?(query: Query): string;
  maxBatch?: number;
  maxCached?: number;
}

interface Entry<Query> {
  key: string;
  query: Query;
  /** How many effects use it. Without any, it is only cached. */
  users: number;
  /** Cursor of the data. */
  cursor?: number;
  /** What to request: changes since `cursor`, all of the data, or nothing. */
  due: "update" | "reload" | null;
  /** Cursor of the growth that the update is for. */
  grownTo: number;
  request?: AbortController;
}

const MAX_REQUESTS = 2;
/** Minimum time between updates. Well below the second within which a logged point must appear. */
const UPDATE_EVERY_MS = 300;

export class Resource<Query, Data> {
  /** An error only if there is no data. */
  #results = new SvelteMap<string, Data | Error>();
  /** Least recently used first. */
  #entries = new Map<string, Entry<Query>>();
  #requests = new Map<AbortController, Entry<Query>[]>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sentAt = 0;
  #isDisconnected = false;

  /** A resource lives as long as the page, because it listens for changes. */
  constructor(private readonly options: ResourceOptions<Query, Data>) {
    onGrew((event) => this.#grew(event));
    onChanged((what) => what === "runs" && this.#reload(({ users }) => options.affects !== undefined || users === 0));
    onConnection((connection) => {
      if (!connection.up) this.#isDisconnected = true;
      else if (connection.at) this.#connected(connection.at.cursor);
    });
  }

  /** Returns the data, the reason why there is none, or undefined if it has not been fetched. */
  get(query: Query): Data | Error | undefined {
    return this.#results.get(JSON.stringify(query));
  }

  /** Fetches the data, and keeps it up to date until the returned function is called. Call it in an effect. */
  use(query: Query): () => void {
    const key = JSON.stringify(query);
    const entry = this.#entries.get(key) ?? { key, query, users: 0, due: "reload" as const, grownTo: 0 };
    entry.users += 1;
    this.#entries.set(key, entry);
    if (entry.due) this.#schedule(0);
    return () => this.#release(entry);
  }

  isRequested(query: Query): boolean {
    return this.#entries.get(JSON.stringify(query))?.request !== undefined;
  }

  /** Requests everything again that failed. */
  retry(): void {
    for (const entry of this.#entries.values()) {
      if (!(this.#results.get(entry.key) instanceof Error)) continue;
      this.#results.delete(entry.key);
      entry.due = "reload";
    }
    this.#schedule(0);
  }

  #release(entry: Entry<Query>): void {
    entry.users -= 1;
    if (entry.users) return;
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, entry);
    // Its request is canceled later, because an effect that runs again releases its queries and then uses them again.
    this.#schedule(0);
  }

  #grew(event: Grew): void {
    this.#update(event.cursor, ({ key, query }) => {
      const data = this.#results.get(key);
      return this.options.affects?.(event, query, data instanceof Error ? undefined : data) ?? false;
    });
  }

  /** Growth before the stream of events was open has not been reported. After a restart of the server, cursors mean nothing. */
  #connected(cursor: number): void {
    if (this.#isDisconnected) this.#reload(() => true);
    else this.#update(cursor, () => this.options.affects !== undefined);
    this.#isDisconnected = false;
  }

  #update(cursor: number, isAffected: (entry: Entry<Query>) => boolean): void {
    for (const entry of this.#entries.values()) {
      if ((entry.cursor ?? -1) >= cursor || !isAffected(entry)) continue;
      entry.due ??= "update";
      entry.grownTo = cursor;
    }
    this.#scheduleDue();
  }

  #reload(isAffected: (entry: Entry<Query>) => boolean): void {
    for (const entry of this.#entries.values()) if (isAffected(entry)) entry.due = "reload";
    this.#scheduleDue();
  }

  /** Requests new data now, and updates after a pause. */
  #scheduleDue(): void {
    const due = this.#due();
    const isUrgent = due.some(({ cursor }) => cursor === undefined);
    if (due.length) this.#schedule(isUrgent ? 0 : Math.max(0, this.#sentAt + UPDATE_EVERY_MS - Date.now()));
  }

  #schedule(delay: number): void {
    if (this.#timer !== undefined && delay > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#cancelUnused();
      this.#evict();
      this.#send();
    }, delay);
  }

  #due(): Entry<Query>[] {
    return [...this.#entries.values()].filter(({ due, users, request }) => due && users && !request);
  }

  #cancelUnused(): void {
    for (const [request, batch] of this.#requests) {
      if (batch.some(({ users }) => users)) continue;
      request.abort();
      this.#finish(request, batch);
      for (const entry of batch) entry.due = "reload";
    }
  }

  #evict(): void {
    for (const { key, users, cursor, request } of [...this.#entries.values()]) {
      const isCached = cursor !== undefined && this.#entries.size <= (this.options.maxCached ?? 500);
      if (users || request || isCached) continue;
      this.#entries.delete(key);
      this.#results.delete(key);
    }
  }

  #send(): void {
    const { batchKey, maxBatch = 50 } = this.options;
    const isUpdate = ({ due, cursor }: Entry<Query>): boolean => due === "update" && cursor !== undefined;
    const groupOf = (entry: Entry<Query>): string => `${isUpdate(entry)} ${batchKey?.(entry.query)}`;
    for (let due = this.#due(); due.length && this.#requests.size < MAX_REQUESTS; due = this.#due()) {
      const group = groupOf(due[0]!);
      void this.#fetch(due.filter((entry) => groupOf(entry) === group).slice(0, maxBatch), isUpdate(due[0]!));
    }
  }

  async #fetch(batch: Entry<Query>[], isUpdate: boolean): Promise<void> {
    const request = new AbortController();
    const { signal } = request;
    const since = isUpdate ? Math.min(...batch.map(({ cursor }) => cursor!)) : undefined;
    this.#requests.set(request, batch);
    this.#sentAt = Date.now();
    for (const entry of batch) Object.assign(entry, { due: null, request });
    const preview = (data: unknown[]): void => {
      if (!signal.aborted) batch.forEach(({ key }, i) => this.#results.set(key, data[i] as Data));
    };
    try {
      const fetched = await this.options.fetch(
        batch.map(({ query }) => query),
        { since, signal, preview: batch.some(({ cursor }) => cursor !== undefined) ? undefined : preview },
      );
      if (!signal.aborted) batch.forEach((entry, i) => this.#store(entry, fetched.cursor, fetched.data[i]));
    } catch (reason) {
      const error = reason instanceof Error ? reason : new Error(String(reason));
      // Old data is better than none.
      for (const { key, cursor } of batch) if (!signal.aborted && cursor === undefined) this.#results.set(key, error);
    }
    if (signal.aborted) return;
    this.#finish(request, batch);
    this.#scheduleDue();
  }

  #store(entry: Entry<Query>, cursor: number, data: Data | Error | undefined): void {
    if (data instanceof Error) {
      if (entry.cursor === undefined) this.#results.set(entry.key, data);
      return;
    }
    entry.cursor = cursor;
    if (entry.due === "update" && entry.grownTo <= cursor) entry.due = null;
    if (data !== undefined) this.#results.set(entry.key, data);
  }

  #finish(request: AbortController, batch: Entry<Query>[]): void {
    this.#requests.delete(request);
    for (const entry of batch) entry.request = undefined;
  }
}

/** The data of a query that changes. The last data stays until there is newer data. */
export class Current<Query, Data> {
  data = $state.raw<Data>();
  /** Why there is no data for the query. */
  error = $state.raw<Error | null>(null);
  /** The queries whose data is awaited, the current one last. */
  #awaited: { query: Query; stop(): void }[] = [];

  constructor(
    readonly resource: Resource<Query, Data>,
    /** Whether the data of an older query may be shown until that of a newer one arrives. */
    private readonly isUseful: (older: Query, newer: Query) => boolean = () => false,
  ) {}

  /** Follows a query for as long as the effect lives that calls this. Null means no data. */
  follow(query: () => Query | null): void {
    $effect(() => {
      const next = query();
      untrack(() => this.#await(next));
      this.#show();
    });
    $effect(() => () => this.#keep(() => false));
  }

  #await(next: Query | null): void {
    const last = this.#awaited.at(-1);
    if (last && JSON.stringify(last.query) === JSON.stringify(next)) return;
    const stop = next === null ? undefined : this.resource.use(next);
    this.#keep(({ query }) => next !== null && this.isUseful(query, next) && this.resource.isRequested(query));
    if (next === null) this.data = undefined;
    else this.#awaited.push({ query: next, stop: stop! });
  }

  /** Shows the newest data, and stops waiting for older data. */
  #show(): void {
    const results = this.#awaited.map(({ query }) => this.resource.get(query));
    const newest = results.findLastIndex((result) => result !== undefined && !(result instanceof Error));
    if (newest >= 0) {
      this.data = results[newest] as Data;
      this.#keep((_, i) => i > newest || i === results.length - 1);
    }
    const last = results.at(-1);
    this.error = last instanceof Error ? last : null;
  }

  #keep(isKept: (awaited: { query: Query }, i: number) => boolean): void {
    const kept = this.#awaited.filter(isKept);
    for (const one of this.#awaited) if (!kept.includes(one)) one.stop();
    this.#awaited = kept;
  }
}

/** Whether a series grew, or any series of the kind. */
export function hasGrown(event: Grew, kind: string, run: string, tag?: string): boolean {
  const tags = event.runs[run]?.kinds[kind];
  return tags !== undefined && (tag === undefined || tags === "*" || tags.includes(tag));
}
