/* Rows of the tooltip: the lines at the crosshair, the nearest to the pointer first. */
import { postJson } from "../../api/client";
import type { AtLine, AtRequest, AtResponse } from "../../api/types";
import { type ChartData, heightAt, nearestPoint } from "../../charts/lines/data";
import type { Look } from "../../charts/lines/scene";
import type { Frame } from "../../charts/frame";
import { type Chart, currentRuns } from "./chart.svelte";
import { smoothingOf, xAxis } from "./settings.svelte";

export interface TooltipRow extends Look {
  key: string;
  run: string;
  smooth: number;
  value: number;
  /** Seconds since the first point of the run, or null until the exact point has arrived. */
  time: number | null;
  distance: number;
}

export const MAX_ROWS = 12;
const REQUEST_AFTER_MS = 60;

/** Returns the lines that have a value at x. `y` is the position of the pointer in pixels. */
export function rowsAt(chart: Chart, frame: Frame, x: number, y: number): TooltipRow[] {
  const data = chart.data!;
  const reach = (frame.x.hi - frame.x.lo) * (8 / (frame.box.right - frame.box.left));
  const rows: TooltipRow[] = [];
  for (const line of data.lines) {
    if (line.attempt) continue;
    const i = nearestPoint(data.x, line, x, reach);
    if (i < 0) continue;
    const drawn = heightAt(data.x, line.smooth, x);
    const at = frame.py(Number.isNaN(drawn) ? line.smooth[i]! : drawn);
    rows.push({
      ...chart.looks.get(line.key)!,
      key: line.key,
      run: line.run,
      smooth: line.smooth[i]!,
      value: line.raw[i]!,
      time: null,
      distance: Math.abs(at - y),
    });
  }
  return rows;
}

class TooltipState {
  chart = $state.raw<Chart | null>(null);
  frame = $state.raw<Frame | null>(null);
  x = $state(0);
  /** The pointer, in pixels. */
  #y = 0;
  /** Position of the chart on screen. Scrolling hides the tooltip. */
  place = $state.raw<DOMRect | undefined>();
  rows = $state.raw<TooltipRow[]>([]);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort: AbortController | undefined;
  /** Exact values by line. */
  #exact = new Map<string, Pick<TooltipRow, "smooth" | "value" | "time">>();
  #exactFor = "";
  #exactIn: ChartData | null = null;

  show(chart: Chart, frame: Frame, x: number, y: number): void {
    const place = `${chart.id} ${x} ${JSON.stringify(chart.query.smoothing)}`;
    if (place !== this.#exactFor) this.#exact.clear();
    // A run that has grown may have passed x. The values on screen stay until the exact ones arrive again.
    else if (chart.data !== this.#exactIn) this.#forgetUnseen();
    if (place !== this.#exactFor || chart.data !== this.#exactIn) this.#requestSoon(chart, x, place);
    this.#exactFor = place;
    this.#exactIn = chart.data;
    if (this.chart !== chart) this.place = chart.plot?.host.getBoundingClientRect();
    this.chart = chart;
    this.frame = frame;
    this.x = x;
    this.#y = y;
    this.rows = this.#filled(rowsAt(chart, frame, x, y));
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#exactFor = "";
    this.chart = null;
  }

  /** Forgets the nearest points of lines that did not reach x. */
  #forgetUnseen(): void {
    const seen = new Set(this.rows.map((row) => row.key));
    for (const key of this.#exact.keys()) if (!seen.has(key)) this.#exact.delete(key);
  }

  #filled(rows: TooltipRow[]): TooltipRow[] {
    // The first row is the line that is drawn nearest, which is emphasized. The others are ordered by the values in the table.
    const [first, ...others] = rows
      .map((row) => ({ ...row, ...this.#exact.get(row.key) }))
      .sort((a, b) => a.distance - b.distance);
    return first ? [first, ...others.sort((a, b) => this.#away(a) - this.#away(b))] : [];
  }

  #away({ smooth }: TooltipRow): number {
    return Number.isNaN(smooth) ? Infinity : Math.abs(this.frame!.py(smooth) - this.#y);
  }

  /** Downsampled cells have no time and only their last value. So the exact points are requested when the pointer rests. */
  #requestSoon(chart: Chart, x: number, place: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#request(chart, x, place), REQUEST_AFTER_MS);
  }

  async #request(chart: Chart, x: number, place: string): Promise<void> {
    this.#abort?.abort();
    this.#abort = new AbortController();
    try {
      const lines = await pointsAt(chart, x, this.#abort.signal);
      if (place !== this.#exactFor) return;
      for (const { run, tag, smoothed, value, relative } of lines) {
        this.#exact.set(`${run} ${tag}`, { smooth: Number(smoothed), value: Number(value), time: Number(relative) });
      }
      this.rows = this.#filled(this.rows);
    } catch (reason) {
      // The downsampled values stay. The header shows whether the connection is lost.
      if (!(reason instanceof Error)) throw reason;
    }
  }
}

export async function pointsAt(chart: Chart, x: number, signal?: AbortSignal): Promise<AtLine[]> {
  const only = [...new Set(chart.data!.lines.map((line) => line.run))];
  const body: AtRequest = {
    runs: only.length ? { only } : currentRuns(),
    x,
    charts: [{ key: "0", tags: chart.tags, x: xAxis.value, smoothing: smoothingOf(chart.tag) }],
  };
  const { charts } = await postJson<AtResponse>("scalars/at", body, signal);
  return charts[0]?.lines ?? [];
}

export const tooltip = new TooltipState();
