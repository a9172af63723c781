/* Rows of the tooltip: the lines at the crosshair, the nearest to the pointer first. */
import type { AtLine, AtRequest } from "../../api/types";
import { board } from "../../app/board.svelte";
import type { ChartData } from "../../charts/lines/data";
import { heightAt, nearestPoint } from "../../charts/lines/nearest";
import type { FindingMark, Look } from "../../charts/lines/scene";
import type { Frame } from "../../charts/frame";
import type { Chart } from "./chart.svelte";
import { lineKey, pointsAt } from "./chartValues";
import { groupsAt } from "./groupData";

export interface TooltipRow extends Look {
  key: string;
  run: string;
  tag: string;
  smooth: number;
  value: number;
  /** Seconds since the first point of the run, or null until the exact point has arrived. */
  time: number | null;
  distance: number;
  /** Set for a group: its band, and the number of runs at x. */
  group?: { low: number; high: number; n: number; runs: number; nonFinite: number };
}

export const MAX_ROWS = 12;
const REQUEST_AFTER_MS = 60;

/** Returns how far beyond its end a line still counts as being at the pointer, in units of x. */
const reachOf = ({ x, box }: Frame): number => (x.hi - x.lo) * (8 / (box.right - box.left));

/** Returns the drawn lines that have a value at x. `y` is the position of the pointer in pixels. */
function drawnRows(chart: Chart, data: ChartData, frame: Frame, x: number, y: number): TooltipRow[] {
  const rows: TooltipRow[] = [];
  for (const line of data.lines) {
    if (line.attempt) continue;
    const i = nearestPoint(data.x, line, x, reachOf(frame));
    if (i < 0) continue;
    const drawn = heightAt(data.x, line.smooth, x);
    const own = chart.right?.tags.has(line.tag) ? frame.right! : frame;
    const at = own.py(Number.isNaN(drawn) ? line.smooth[i]! : drawn);
    rows.push({
      ...(chart.looks.get(line.key) ?? chart.lookOf(line)),
      key: line.key,
      run: line.run,
      tag: line.tag,
      smooth: line.smooth[i]!,
      value: line.raw[i]!,
      time: null,
      distance: Math.abs(at - y),
      group: line.group && {
        low: line.lo?.[i] ?? NaN,
        high: line.hi?.[i] ?? NaN,
        n: line.group.n[i]!,
        runs: line.group.runs,
        nonFinite: line.group.nonFinite,
      },
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
  /** Number of lines at x, including those that are not drawn one by one. */
  total = $state(0);
  /** The findings under the pointer. */
  findings = $state.raw<FindingMark[]>([]);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort: AbortController | undefined;
  /** Exact points by line. */
  #exact = new Map<string, AtLine>();
  #exactX = "";
  #exactFor = "";
  #exactIn: ChartData | null = null;
  /** Groups at x, of a chart that is downsampled. */
  #exactGroups: ChartData | null = null;

  show(chart: Chart, frame: Frame, x: number, y: number): void {
    const exactX = `${chart.id} ${x} ${JSON.stringify(chart.query.smoothing)}`;
    // In a crowded chart, which lines are nearest depends on the height of the pointer too.
    const place = chart.data?.density ? `${exactX} ${y}` : exactX;
    const isOutdated = place !== this.#exactFor || chart.data !== this.#exactIn;
    if (exactX !== this.#exactX) {
      this.#exact.clear();
      this.#exactGroups = null;
    }
    // A run that has grown may have passed x. The values on screen stay until the exact ones arrive again.
    else if (chart.data !== this.#exactIn) this.#forgetUnseen();
    this.#exactX = exactX;
    this.#exactFor = place;
    this.#exactIn = chart.data;
    if (this.chart !== chart) this.place = chart.plot?.host.getBoundingClientRect();
    this.chart = chart;
    this.frame = frame;
    this.x = x;
    this.#y = y;
    if (isOutdated) this.#requestSoon(chart, x, place);
    this.#setRows();
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#exactX = this.#exactFor = "";
    this.chart = null;
  }

  /** Forgets the nearest points of lines that did not reach x. */
  #forgetUnseen(): void {
    const seen = new Set(this.rows.map((row) => row.key));
    for (const key of this.#exact.keys()) if (!seen.has(key)) this.#exact.delete(key);
  }

  /** Sets the rows and emphasizes the first: the line that is drawn nearest. The others are ordered by the values in the table. */
  #setRows(): void {
    const data = this.#exactGroups ?? this.chart!.data!;
    const drawn = drawnRows(this.chart!, data, this.frame!, this.x, this.#y).map((row) => this.#withExact(row));
    const [first, ...others] = [...drawn, ...this.#rowsInDensity(drawn)].sort((a, b) => a.distance - b.distance);
    this.rows = first ? [first, ...others.sort((a, b) => this.#away(a.smooth) - this.#away(b.smooth))] : [];
    if (!this.chart!.data!.density || !this.#exact.size) this.total = this.rows.length;
    board.emphasized = first?.run ?? null;
  }

  #withExact(row: TooltipRow): TooltipRow {
    const point = this.#exact.get(row.key);
    return point ? { ...row, ...valuesOf(point) } : row;
  }

  /** Returns the rows of lines that a crowded chart draws as a density. */
  #rowsInDensity(drawn: TooltipRow[]): TooltipRow[] {
    if (!this.chart!.data!.density) return [];
    const known = new Set(drawn.map((row) => row.key));
    const others = [...this.#exact.values()].filter((point) => !known.has(lineKey(point)));
    return others.map((point) => ({
      ...this.chart!.lookOf(point),
      ...valuesOf(point),
      key: lineKey(point),
      run: point.run,
      tag: point.tag,
      distance: this.#away(Number(point.smoothed)),
    }));
  }

  /** Returns the distance of a value from the pointer, in pixels. */
  #away(value: number): number {
    return Number.isNaN(value) ? Infinity : Math.abs(this.frame!.py(value) - this.#y);
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
      if (chart.query.groups) {
        const groups = chart.data?.exact ? null : await groupsAt(chart.query, x, this.#abort.signal);
        if (place !== this.#exactFor) return;
        this.#exactGroups = groups;
        this.#setRows();
        return;
      }
      const { lines, total } = await pointsAt(chart, x, { near: this.#near(chart), signal: this.#abort.signal });
      if (place !== this.#exactFor) return;
      this.#exact = new Map(lines.map((line) => [lineKey(line), line]));
      this.total = total;
      this.#setRows();
    } catch (reason) {
      // The downsampled values stay. The header shows whether the connection is lost.
      if (!(reason instanceof Error)) throw reason;
    }
  }

  /** A crowded chart may have thousands of lines, so only those around the pointer are requested. */
  #near(chart: Chart): AtRequest["near"] {
    if (!chart.data?.density) return undefined;
    return { y: this.frame!.yAt(this.#y), count: MAX_ROWS, reach: reachOf(this.frame!) };
  }
}

function valuesOf({ smoothed, value, relative }: AtLine): Pick<TooltipRow, "smooth" | "value" | "time"> {
  return { smooth: Number(smoothed), value: Number(value), time: Number(relative) };
}

export const tooltip = new TooltipState();
