// @vitest-environment happy-dom
import { flushSync } from "svelte";
import { beforeEach, expect, test, vi } from "vitest";
import { connect } from "./live";
import { Current, type Fetched, hasGrown, Resource, type ResourceOptions } from "./resource.svelte";
import type { Grew } from "./types";

/** The stream of live events. Tests send events through it. */
class FakeEventSource extends EventTarget {
  static last: FakeEventSource;
  onopen?: () => void;
  onerror?: () => void;

  constructor() {
    super();
    FakeEventSource.last = this;
  }

  close(): void {}

  send(name: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
}

interface Sent {
  queries: string[];
  since?: number;
  signal: AbortSignal;
  preview?(data: unknown[]): void;
  /** Responds with one value per query. Undefined means unchanged. */
  respond(cursor: number, ...data: (string | Error | undefined)[]): Promise<void>;
  fail(message: string): Promise<void>;
}

let sent: Sent[];
const live = () => FakeEventSource.last;
const soon = () => vi.advanceTimersByTimeAsync(1);
const later = () => vi.advanceTimersByTimeAsync(1000);

/** A resource whose requests wait for the test to respond. Those of earlier tests still get events. */
function makeResource(options: Partial<ResourceOptions<string, string>> = {}): Resource<string, string> {
  const requests = sent;
  return new Resource<string, string>({
    affects: (event, tag) => hasGrown(event, "scalars", "run", tag),
    ...options,
    fetch: (queries, { since, signal, preview }) =>
      new Promise<Fetched<string>>((resolve, reject) => {
        requests.push({
          queries,
          since,
          signal,
          preview,
          respond: async (cursor, ...data) => (resolve({ cursor, data }), void (await soon())),
          fail: async (message) => (reject(new Error(message)), void (await soon())),
        });
      }),
  });
}

const grew = (cursor: number, ...tags: string[]): Grew => ({
  cursor,
  new_tags: [],
  runs: { run: { state: "live", last: 0, bytes: 0, kinds: { scalars: tags } } },
});

const queriesOf = (requests: Sent[]): string[][] => requests.map(({ queries }) => queries);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", FakeEventSource);
  connect();
  live().onopen!();
  sent = [];
});

test("queries of one moment share a request, and each gets its own data", async () => {
  const resource = makeResource();
  for (const query of ["a", "b", "a"]) resource.use(query);
  await soon();
  expect(queriesOf(sent)).toEqual([["a", "b"]]);
  expect(resource.get("a")).toBeUndefined();
  await sent[0]!.respond(1, "A", "B");
  expect([resource.get("a"), resource.get("b")]).toEqual(["A", "B"]);
});

test("only queries with the same batch key share a request, and a batch is limited", async () => {
  const resource = makeResource({ batchKey: (query) => query[0]!, maxBatch: 2 });
  for (const query of ["a1", "b1", "a2", "a3"]) resource.use(query);
  await soon();
  expect(queriesOf(sent)).toEqual([["a1", "a2"], ["b1"]]);
  await sent[1]!.respond(1, "B1");
  expect(queriesOf(sent).at(-1)).toEqual(["a3"]);
});

test("at most two requests are under way", async () => {
  const resource = makeResource({ maxBatch: 1 });
  for (const query of ["a", "b", "c"]) resource.use(query);
  await soon();
  expect(queriesOf(sent)).toEqual([["a"], ["b"]]);
  await sent[1]!.respond(1, "B");
  expect(queriesOf(sent)).toEqual([["a"], ["b"], ["c"]]);
});

test("a request is canceled when nobody uses any of its queries", async () => {
  const resource = makeResource();
  const stops = ["a", "b"].map((query) => resource.use(query));
  await soon();
  stops[0]!();
  await soon();
  expect(sent[0]!.signal.aborted).toBe(false);
  stops[1]!();
  await soon();
  expect(sent[0]!.signal.aborted).toBe(true);
  resource.use("a");
  await soon();
  await sent[0]!.respond(1, "canceled", "canceled");
  await sent[1]!.respond(1, "A");
  expect(resource.get("a")).toBe("A");
});

test("an effect that runs again cancels nothing", async () => {
  const resource = makeResource();
  const stop = resource.use("a");
  await soon();
  stop();
  resource.use("a");
  await soon();
  expect(sent).toHaveLength(1);
  expect(sent[0]!.signal.aborted).toBe(false);
});

test("a query that was released before it was sent is not sent", async () => {
  const resource = makeResource();
  resource.use("a")();
  await soon();
  expect(sent).toEqual([]);
});

test("cached data is there at once and is not requested again; the least recently used goes first", async () => {
  const resource = makeResource({ maxCached: 2 });
  for (const query of ["a", "b", "c"]) {
    const stop = resource.use(query);
    await soon();
    await sent.at(-1)!.respond(1, query.toUpperCase());
    stop();
    await soon();
  }
  expect(["a", "b", "c"].map((query) => resource.get(query))).toEqual([undefined, "B", "C"]);
  resource.use("b");
  await soon();
  expect(sent).toHaveLength(3);
});

test("what is used is never evicted", async () => {
  const resource = makeResource({ maxCached: 1 });
  for (const query of ["a", "b"]) resource.use(query);
  await soon();
  await sent[0]!.respond(1, "A", "B");
  resource.use("c")();
  await soon();
  expect([resource.get("a"), resource.get("b")]).toEqual(["A", "B"]);
});

test("after growth only the affected queries are requested, since the cursor of their data", async () => {
  const resource = makeResource();
  for (const query of ["a", "b"]) resource.use(query);
  await soon();
  await sent[0]!.respond(7, "A", "B");
  live().send("grew", grew(8, "b"));
  await later();
  expect(sent.slice(1)).toMatchObject([{ queries: ["b"], since: 7 }]);
  await sent[1]!.respond(8, undefined);
  expect(resource.get("b")).toBe("B");
  live().send("grew", grew(9, "b"));
  await later();
  expect(sent[2]!.since).toBe(8);
  await sent[2]!.respond(9, "B2");
  expect(resource.get("b")).toBe("B2");
});

test("growth that the data already includes requests nothing", async () => {
  const resource = makeResource();
  resource.use("a");
  await soon();
  live().send("grew", grew(4, "a"));
  live().send("at", { cursor: 4, loading: false });
  await sent[0]!.respond(5, "A");
  live().send("grew", grew(5, "a"));
  await later();
  expect(sent).toHaveLength(1);
});

test("growth during a request that does not include it requests the data again", async () => {
  const resource = makeResource();
  resource.use("a");
  await soon();
  live().send("grew", grew(6, "a"));
  await sent[0]!.respond(5, "A");
  await later();
  expect(sent[1]).toMatchObject({ queries: ["a"], since: 5 });
});

test("bursts of growth are joined", async () => {
  const resource = makeResource();
  resource.use("a");
  await soon();
  await sent[0]!.respond(1, "A");
  for (let i = 0; i < 50; i++) {
    live().send("grew", grew(2 + i, "a"));
    await vi.advanceTimersByTimeAsync(10);
    for (const one of sent.slice(1)) await one.respond(2 + i, undefined);
  }
  expect(sent.length).toBeLessThanOrEqual(4);
});

test("growth affects cached data too: it is shown at first, and updated when it is used again", async () => {
  const resource = makeResource();
  resource.use("a")();
  const stop = resource.use("a");
  await soon();
  await sent[0]!.respond(3, "A");
  stop();
  live().send("grew", grew(4, "a"));
  await later();
  expect(sent).toHaveLength(1);
  resource.use("a");
  expect(resource.get("a")).toBe("A");
  await soon();
  expect(sent[1]).toMatchObject({ queries: ["a"], since: 3 });
});

test("a change of the list of runs requests all data again, without a cursor: a removed run leaves no trace in it", async () => {
  const resource = makeResource();
  resource.use("a");
  await soon();
  await sent[0]!.respond(3, "A");
  live().send("grew", grew(4, "a"));
  live().send("runs", {});
  await later();
  expect(sent.slice(1)).toMatchObject([{ queries: ["a"], since: undefined }]);
  // The next change comes before the response.
  live().send("runs", {});
  await sent[1]!.respond(5, "A2");
  await later();
  expect(sent.slice(2)).toMatchObject([{ queries: ["a"], since: undefined }]);
});

test("a logged sample stays as it is, whatever runs grow, come or go", async () => {
  const resource = makeResource({ affects: undefined });
  resource.use("a");
  await soon();
  await sent[0]!.respond(3, "A");
  live().send("grew", grew(4, "a"));
  live().send("runs", {});
  live().send("at", { cursor: 5, loading: false });
  await later();
  expect(sent).toHaveLength(1);
});

test("data that arrived before the stream of events opened is updated if the server is ahead", async () => {
  const resource = makeResource();
  resource.use("a");
  await soon();
  await sent[0]!.respond(3, "A");
  live().send("at", { cursor: 3, loading: false });
  await later();
  expect(sent).toHaveLength(1);
  live().send("at", { cursor: 4, loading: false });
  await later();
  expect(sent[1]).toMatchObject({ queries: ["a"], since: 3 });
});

test("an error is reported once there is no data, and retried on request and after a reconnection", async () => {
  const resource = makeResource();
  resource.use("a");
  await soon();
  await sent[0]!.fail("The disk is full.");
  expect(resource.get("a")).toEqual(new Error("The disk is full."));
  await later();
  expect(sent).toHaveLength(1);
  resource.retry();
  expect(resource.get("a")).toBeUndefined();
  await soon();
  await sent[1]!.fail("Disconnected from the server.");
  live().onerror!();
  await later();
  live().onopen!();
  live().send("at", { cursor: 1, loading: false });
  await later();
  await sent[2]!.respond(1, "A");
  expect(resource.get("a")).toBe("A");
});

test("a failed update keeps the data, and the next growth tries again", async () => {
  const resource = makeResource();
  resource.use("a");
  await soon();
  await sent[0]!.respond(1, "A");
  live().send("grew", grew(2, "a"));
  await later();
  await sent[1]!.fail("The disk is full.");
  expect(resource.get("a")).toBe("A");
  live().send("grew", grew(3, "a"));
  await later();
  expect(sent[2]).toMatchObject({ queries: ["a"], since: 1 });
});

test("after a reconnection everything is requested without a cursor: the server may have started again", async () => {
  const resource = makeResource();
  resource.use("a");
  await soon();
  await sent[0]!.respond(57, "A");
  live().onerror!();
  await later();
  live().onopen!();
  live().send("at", { cursor: 1, loading: false });
  await later();
  expect(sent[1]).toMatchObject({ queries: ["a"], since: undefined });
  await sent[1]!.respond(1, "A2");
  live().send("grew", grew(2, "a"));
  await later();
  expect(sent[2]).toMatchObject({ queries: ["a"], since: 1 });
});

/** Follows a query that the test changes. */
function follow(resource: Resource<string, string>, isUseful?: (older: string, newer: string) => boolean) {
  const current = new Current(resource, isUseful);
  let query = $state<string | null>("a");
  const stop = $effect.root(() => current.follow(() => query));
  flushSync();
  const change = async (next: string | null): Promise<void> => {
    query = next;
    flushSync();
    await soon();
  };
  return { current, change, stop };
}

test("the last data stays until the data of the next query arrives", async () => {
  const { current, change } = follow(makeResource());
  await soon();
  await sent[0]!.respond(1, "A");
  expect(current.data).toBe("A");
  await change("b");
  expect(current.data).toBe("A");
  await sent[1]!.respond(1, "B");
  expect(current.data).toBe("B");
  await change(null);
  expect(current.data).toBeUndefined();
});

test("an error belongs to the query, and the last data stays beside it", async () => {
  const { current, change } = follow(makeResource());
  await soon();
  await sent[0]!.respond(1, "A");
  await change("b");
  await sent[1]!.fail("No such tag.");
  expect([current.data, current.error?.message]).toEqual(["A", "No such tag."]);
  await change("a");
  expect([current.data, current.error]).toEqual(["A", null]);
});

test("a query that changes cancels the request for the last one", async () => {
  const { change } = follow(makeResource());
  await soon();
  await change("b");
  expect([sent[0]!.signal.aborted, sent[1]!.signal.aborted]).toEqual([true, false]);
});

test("data of an older query is shown on the way, if it is useful and no newer data is there", async () => {
  const { current, change } = follow(makeResource(), () => true);
  await soon();
  await change("b");
  // Two requests are under way, so this one is never sent.
  await change("c");
  await change("d");
  expect(queriesOf(sent)).toEqual([["a"], ["b"]]);
  await sent[0]!.respond(1, "A");
  expect(current.data).toBe("A");
  expect(queriesOf(sent).at(-1)).toEqual(["d"]);
  await sent[2]!.respond(1, "D");
  expect(current.data).toBe("D");
  await sent[1]!.respond(1, "B");
  expect(current.data).toBe("D");
  expect(sent[1]!.signal.aborted).toBe(true);
});

test("nothing is requested or kept up to date after its end", async () => {
  const { stop } = follow(makeResource());
  await soon();
  await sent[0]!.respond(1, "A");
  stop();
  live().send("grew", grew(2, "a"));
  await later();
  expect(sent).toHaveLength(1);
});

test("a preview is shown until all of the data has arrived, and only if there was none", async () => {
  const resource = makeResource();
  const stop = resource.use("a");
  await soon();
  sent[0]!.preview!(["lines"]);
  expect(resource.get("a")).toBe("lines");
  await sent[0]!.respond(1, "all");
  expect(resource.get("a")).toBe("all");
  live().send("grew", grew(2, "a"));
  await later();
  expect(sent[1]!.preview).toBeUndefined();
  stop();
});

test("an item of a batch that is missing fails alone, and is requested again when it is used again", async () => {
  const resource = makeResource();
  const stops = ["a", "b"].map((query) => resource.use(query));
  await later();
  await sent[0]!.respond(1, "data", new Error("No such run"));
  expect(resource.get("a")).toBe("data");
  expect(resource.get("b")).toEqual(new Error("No such run"));
  stops.forEach((stop) => stop());
  await later();
  resource.use("a");
  resource.use("b");
  await later();
  expect(sent.slice(1).map(({ queries }) => queries)).toEqual([["b"]]);
});
