import { tableFromArrays, tableToIPC } from "@uwdata/flechette";
import { afterEach, expect, test, vi } from "vitest";
import type { Grew, RunChoice, XAxis } from "../../api/types";
import type { ChartData } from "../../charts/lines/data";
import { type ChartDataQuery, fetchCharts, hasSameLines, isAffected } from "./chartData";

const query = (tag: string, more: Partial<ChartDataQuery> = {}): ChartDataQuery => ({
  runs: { except: [] },
  tags: [tag],
  x: "step",
  range: null,
  width: 340,
  smoothing: { method: "ema", weight: 0.6 },
  ...more,
});

const grew = (runs: Record<string, string[] | "*">): Grew => ({
  cursor: 1,
  new_tags: [],
  runs: Object.fromEntries(
    Object.entries(runs).map(([run, scalars]) => [run, { state: "live", last: 0, bytes: 0, kinds: { scalars } }]),
  ),
});

afterEach(() => void vi.unstubAllGlobals());

test.each<[string, RunChoice, string, boolean]>([
  ["a tag that grew", { except: [] }, "loss", true],
  ["another tag", { except: [] }, "acc", false],
  ["a tag that grew only in a hidden run", { except: ["a", "c"] }, "loss", false],
  ["a run in which very many tags grew", { only: ["c"] }, "acc", true],
  ["no run", { only: [] }, "loss", false],
])("growth and a chart of %s", (_, runs, tag, expected) => {
  const event = grew({ a: ["loss"], b: ["lr"], ...("only" in runs && { c: "*" }) });
  expect(isAffected(event, query(tag, { runs }))).toBe(expected);
});

test("growth of the scalar on the x axis affects a chart", () => {
  const isWith = (x: XAxis): boolean => isAffected(grew({ a: ["epoch"] }), query("loss", { x }));
  expect([isWith({ tag: "epoch" }), isWith({ tag: "lr" }), isWith("step")]).toEqual([true, false, false]);
});

test("another zoom or smoothing has the same lines, other runs or tags do not", () => {
  const one = query("loss");
  expect(hasSameLines(one, query("loss", { range: [0, 1], smoothing: { method: "none", weight: 0 } }))).toBe(true);
  expect(hasSameLines(one, query("acc"))).toBe(false);
  expect(hasSameLines(one, query("loss", { runs: { only: ["a"] } }))).toBe(false);
});

test("charts share a request, and each gets its own tables, with smoothed values where there are any", async () => {
  const table = (columns: Record<string, Float64Array | Float32Array>): Uint8Array =>
    tableToIPC(tableFromArrays(columns), { format: "stream" })!;
  const last = { step: 1, wall: 0, value: 1 };
  const head = (smoothed: boolean): object => {
    const line = { run: "r", tag: "t", points: 2, smoothed, last, marks: [], restarts: [] };
    return { exact: true, points: 2, drawn: 2, cells: 2, x: [0, 1], lines: [line] };
  };
  const charts = [
    { key: "0", ...head(true) },
    { key: "1", unchanged: true },
    { key: "2", ...head(false) },
  ];
  const tables = [3, 5].flatMap((s) => [
    table({ x: Float64Array.of(0, 1) }),
    table({ v: Float32Array.of(10 * s, 20 * s), s: Float32Array.of(s, s + 1) }),
  ]);
  const parts = [new TextEncoder().encode(JSON.stringify({ cursor: 9, charts })), ...tables];
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body));
    const bytes = parts.flatMap((part) => [...new Uint8Array(new Uint32Array([part.length]).buffer), ...part]);
    return Promise.resolve(new Response(new Uint8Array(bytes)));
  });
  const { signal } = new AbortController();
  const queries = [query("a"), query("b"), query("c", { range: [0, 1] })];
  const { cursor, data } = (await fetchCharts(queries, { since: 7, signal })) as {
    cursor: number;
    data: (ChartData | undefined)[];
  };
  expect(sent).toEqual([
    {
      runs: { except: [] },
      since: 7,
      charts: ["a", "b", "c"].map((tag, i) => {
        const { runs: _, ...chart } = query(tag, tag === "c" ? { range: [0, 1] } : {});
        return { key: String(i), ...chart };
      }),
    },
  ]);
  expect(cursor).toBe(9);
  expect(data.map((chart) => chart && { smooth: [...chart.lines[0]!.smooth], whole: chart.whole })).toEqual([
    { smooth: [3, 4], whole: true },
    undefined,
    { smooth: [50, 100], whole: false },
  ]);
});

test("a deferred density is requested after the lines are shown", async () => {
  const chart = { key: "0", unchanged: true };
  const responses = [
    { cursor: 1, charts: [{ ...chart, more: true }] },
    { cursor: 2, charts: [chart] },
  ];
  const sent: { charts: { defer_density?: boolean }[] }[] = [];
  const previewed: number[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body) as (typeof sent)[0]);
    const head = new TextEncoder().encode(JSON.stringify(responses[sent.length - 1]));
    return Promise.resolve(
      new Response(new Uint8Array([...new Uint8Array(Uint32Array.of(head.length).buffer), ...head])),
    );
  });
  const { signal } = new AbortController();
  const { cursor } = await fetchCharts([query("a")], { signal, preview: () => previewed.push(sent.length) });
  expect(sent.map(({ charts }) => charts[0]!.defer_density)).toEqual([true, undefined]);
  expect([previewed, cursor]).toEqual([[1], 2]);
});
