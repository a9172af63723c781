import { beforeEach, expect, test, vi } from "vitest";
import type { postFrames } from "../../api/frames";
import type { ChartsQuestion, RunChoice } from "../../api/types";
import type { ChartData } from "../../charts/lines/data";
import { Feed, type Question } from "./feed";

interface Sent {
  body: ChartsQuestion;
  signal: AbortSignal;
  answer(cursor: number, unchanged?: boolean): Promise<void>;
  fail(message: string): Promise<void>;
}

let sent: Sent[];
let feed: Feed;
const all: RunChoice = { except: [] };
const question = (tag: string, more: Partial<Question> = {}): Question => ({
  tags: [tag],
  x: "step",
  range: null,
  width: 340,
  smoothing: { method: "ema", weight: 0.6 },
  ...more,
});

function sink() {
  const got: ChartData[] = [];
  const failures: string[] = [];
  return {
    got,
    failures,
    take: (data: ChartData) => void got.push(data),
    fail: (reason: Error) => void failures.push(reason.message),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  const send = (_: string, body: unknown, signal: AbortSignal) =>
    new Promise((resolve, reject) => {
      const { charts } = body as ChartsQuestion;
      const head = (key: string) => ({
        key,
        exact: true,
        points: 2,
        drawn: 2,
        cells: 2,
        x: [0, 1],
        lines: [{ run: "r", tag: "t", points: 2, last: { step: 1, wall: 0, value: 1 }, marks: [], restarts: [] }],
      });
      const tables = () => [{ x: Float64Array.of(0, 1) }, { v: Float32Array.of(1, 2), s: Float32Array.of(3, 4) }];
      sent.push({
        body: body as ChartsQuestion,
        signal,
        answer: async (cursor, unchanged = false) => {
          resolve({
            head: { cursor, charts: charts.map(({ key }) => (unchanged ? { key, unchanged } : head(key))) },
            tables: unchanged ? [] : charts.flatMap(tables),
          });
          await vi.advanceTimersByTimeAsync(0);
        },
        fail: async (message) => {
          reject(new Error(message));
          await vi.advanceTimersByTimeAsync(0);
        },
      });
    });
  feed = new Feed(send as unknown as typeof postFrames);
});

const soon = () => vi.advanceTimersByTimeAsync(1);

test("cards that appear together are asked for in one request", async () => {
  const sinks = [sink(), sink()];
  sinks.forEach((each, i) => feed.ask(`card ${i}`, question(`tag${i}`), all, each));
  await soon();
  expect(sent.map(({ body }) => body.charts.map((chart) => chart.tags[0]))).toEqual([["tag0", "tag1"]]);
  await sent[0]!.answer(5);
  expect(sinks.map(({ got }) => [...got[0]!.lines[0]!.smooth])).toEqual([
    [3, 4],
    [3, 4],
  ]);
});

test("a request is canceled when all its cards have gone", async () => {
  feed.ask("a", question("a"), all, sink());
  feed.ask("b", question("b"), all, sink());
  await soon();
  feed.leave("a");
  expect(sent[0]!.signal.aborted).toBe(false);
  feed.leave("b");
  expect(sent[0]!.signal.aborted).toBe(true);
});

test("other runs make the answer on its way useless; another smoothing does not", async () => {
  const card = sink();
  feed.ask("a", question("a"), all, card);
  await soon();
  feed.ask("a", question("a", { smoothing: { method: "ema", weight: 0.9 } }), all, card);
  await sent[0]!.answer(1);
  expect(card.got).toHaveLength(1);
  await soon();
  feed.ask("a", question("a"), { only: ["x"] }, card);
  expect(sent[1]!.signal.aborted).toBe(true);
});

test("after growth only the cards with that tag are asked for, with the cursor of what they have", async () => {
  const [a, b] = [sink(), sink()];
  feed.ask("a", question("a"), all, a);
  feed.ask("b", question("b"), all, b);
  await soon();
  await sent[0]!.answer(7);
  feed.grew((q) => q.tags.includes("b"));
  await vi.advanceTimersByTimeAsync(1000);
  expect(sent[1]!.body).toMatchObject({ since: 7, charts: [{ tags: ["b"] }] });
  await sent[1]!.answer(8, true);
  expect([a.got.length, b.got.length]).toEqual([1, 1]);
});

test("bursts of growth are joined", async () => {
  feed.ask("a", question("a"), all, sink());
  await soon();
  await sent[0]!.answer(1);
  for (let i = 0; i < 50; i++) {
    feed.grew(() => true);
    await vi.advanceTimersByTimeAsync(10);
  }
  for (const each of sent.slice(1)) await each.answer(2, true);
  expect(sent.length).toBeLessThanOrEqual(4);
});

test("a card that comes back shows what it had, and asks only for news", async () => {
  feed.ask("a", question("a"), all, sink());
  await soon();
  await sent[0]!.answer(3);
  feed.leave("a");
  const again = sink();
  feed.ask("a", question("a"), all, again);
  expect(again.got).toHaveLength(1);
  await soon();
  expect(sent[1]!.body.since).toBe(3);
});

test("what failed is said, and can be asked for again", async () => {
  const card = sink();
  feed.ask("a", question("a"), all, card);
  await soon();
  await sent[0]!.fail("The server does not answer.");
  expect(card.failures).toEqual(["The server does not answer."]);
  feed.again();
  await vi.advanceTimersByTimeAsync(1000);
  await sent[1]!.answer(1);
  expect(card.got).toHaveLength(1);
});
