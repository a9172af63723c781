/* One chart: its query, its data, and how they are drawn. Cards and the expanded chart use it. */
import { Current } from "../../api/resource.svelte";
import type { RunChoice } from "../../api/types";
import { baseline } from "../../app/baseline.svelte";
import { board } from "../../app/board.svelte";
import { dashOf } from "../../app/colors";
import type { Span } from "../../charts/box";
import { symlogBend, yExtent } from "../../charts/lines/extent";
import type { Plot, PlotSpec } from "../../charts/lines/plot";
import type { Look } from "../../charts/lines/scene";
import type { ScaleKind } from "../../charts/scale";
import type { XKind } from "../../charts/tickLabels";
import { chartTheme } from "../chartTheme.svelte";
import { chartData, type ChartDataQuery, hasSameLines } from "./chartData";
import { shownEntry } from "./formulas";
import { lazyFindings } from "./lazyFindings.svelte";
import {
  bestOf,
  cardSettings,
  entriesOf,
  ignoreOutliers,
  linkedWindow,
  linkZoom,
  own,
  scaleOf,
  smoothingOf,
  tagsOf,
  xAxis,
} from "./settings.svelte";

const MAX_LINES = 60;

/** The visible runs as the shorter of two lists. Without exceptions, later runs are included. */
const visibleRuns: RunChoice = $derived.by(() => {
  const { visible, runs } = board;
  if (visible.length * 2 < runs.length) return { only: visible.map((run) => run.id) };
  const shown = new Set(visible.map((run) => run.id));
  return { except: runs.filter((run) => !shown.has(run.id)).map((run) => run.id) };
});

export function currentRuns(): RunChoice {
  return visibleRuns;
}

/** With more visible runs than lines, those that the user has marked are drawn as lines. */
const markedRuns: string[] = $derived(
  board.visible.length > MAX_LINES
    ? board.visible
        .filter((run) => run.alias || run.note || run.tags?.length || run.colour !== undefined)
        .map((run) => run.id)
    : [],
);

/** The range that a pan or a wheel has reached, before it is in the URL. */
class Gesture {
  tag = $state<string | null>(null);
  span = $state.raw<Span | null>(null);
}

export const gesture = new Gesture();

const onScreen = new Set<Chart>();

export function visibleCharts(): Chart[] {
  return [...onScreen];
}

/** The rule of the second y axis. It loads with the first chart of several tags. */
let secondAxis = $state.raw<typeof import("./secondAxis")>();

const EMPHASIS_DELAY_MS = 150;

export class Chart {
  #current = new Current(chartData, hasSameLines);
  data = $derived(this.#current.data ?? null);
  error = $derived(this.#current.error);
  /** Range of all data, or null until it is known. */
  extent = $state.raw<Span | null>(null);
  /** In CSS pixels, rounded, so that resizing does not send a request for every pixel. */
  width = $state(0);
  /** Where it is drawn, while it is on screen. */
  plot: Plot | undefined;
  /** A run under the pointer that a crowded chart does not draw as a line by itself. */
  #emphasized = $state<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly id: string,
    /** A tag, or the name of a custom chart. */
    readonly tag: string,
    private readonly options: { roomy?: boolean; whole?: boolean } = {},
  ) {}

  settings = $derived.by(() => cardSettings(this.tag));
  tags = $derived.by(() => tagsOf(this.tag));
  yKind: ScaleKind = $derived.by(() => scaleOf(this.tag));
  xKind: XKind = $derived.by(() => (typeof xAxis.value === "string" ? xAxis.value : "value"));

  /** The range while it is panned or zoomed. */
  #moving: Span | null = $derived.by(() =>
    gesture.span && (linkZoom.value || gesture.tag === this.tag) ? gesture.span : null,
  );
  /** The zoomed range of x, or null for all of it. */
  zoom: Span | null = $derived.by(() => {
    if (this.options.whole) return null;
    return this.#moving ?? (linkZoom.value ? linkedWindow.value : (this.settings.zoom ?? null));
  });
  /** The zoomed range in the URL, which is requested from the server. */
  #settledZoom: Span | null = $derived.by(() =>
    this.options.whole ? null : linkZoom.value ? linkedWindow.value : (this.settings.zoom ?? null),
  );

  /** Groups have common lines only over steps. On other axes their runs are drawn. */
  #best = $derived.by(() => {
    const best = bestOf(this.tag);
    return best === "none" ? undefined : best;
  });

  #groups = $derived.by(() => (xAxis.value === "step" ? board.grouping?.request : undefined));

  /** What is drawn, as every request names it. */
  lineQuery = $derived.by(() => ({
    ...entriesOf(this.tag),
    x: xAxis.value,
    smoothing: smoothingOf(this.tag),
  }));

  query: ChartDataQuery = $derived.by(() => ({
    ...this.lineQuery,
    runs: visibleRuns,
    groups: this.#groups,
    baseline: baseline(),
    range: this.#settledZoom ? [...this.#settledZoom] : null,
    width: this.width,
    attempts: true,
    best: this.#best,
    emphasised: this.#emphasized ? [this.#emphasized, ...markedRuns] : markedRuns,
    max_lines: MAX_LINES,
    y: this.data?.density ? { scale: this.yKind === "log" ? "log" : "linear", range: this.#bothLimits() } : undefined,
  }));

  /** After a reset, the zoomed range stays until all data has arrived. */
  window: Span = $derived.by(() => this.zoom ?? this.extent ?? this.data?.span ?? [0, 1]);
  #settledWindow: Span = $derived.by(() => this.#settledZoom ?? this.extent ?? this.data?.span ?? [0, 1]);

  #extentRule = $derived.by(() => ({
    scale: this.yKind,
    ignoreOutliers: ignoreOutliers.value,
    window: this.#settledWindow,
  }));

  /** The second y axis of some tags. */
  right = $derived.by(() =>
    this.data && this.tags.length > 1
      ? (secondAxis?.rightAxis(this.data, this.tags, this.#extentRule, this.settings.right) ?? null)
      : null,
  );

  #automaticY: Span = $derived.by(() => {
    const { data, right } = this;
    if (!data) return [0, 1];
    const lines = right ? data.lines.filter((line) => !right.tags.has(line.tag)) : data.lines;
    return yExtent({ ...data, lines }, this.#extentRule);
  });

  y: Span = $derived.by(() => {
    const [lo, hi] = this.settings.lim ?? [null, null];
    const limits: Span = [lo ?? this.#automaticY[0], hi ?? this.#automaticY[1]];
    const valid = limits[0] < limits[1] && (this.yKind !== "log" || limits[0] > 0);
    return valid ? limits : this.#automaticY;
  });

  #allLines = $derived.by(() => [...(this.data?.lines ?? []), ...(this.data?.members?.lines ?? [])]);

  isSmoothed: boolean = $derived.by(() => this.data?.lines.some((line) => line.smooth !== line.raw) ?? false);

  looks: Map<string, Look> = $derived.by(() => new Map(this.#allLines.map((line) => [line.key, this.lookOf(line)])));

  spec: PlotSpec | null = $derived.by(() => {
    const { data, looks } = this;
    if (!data) return null;
    return {
      data,
      x: this.window,
      xKind: this.xKind,
      y: this.y,
      right: this.right ?? undefined,
      yKind: this.yKind,
      bend: this.yKind === "symlog" ? symlogBend(data) : 1,
      look: (line) => looks.get(line.key)!,
      findings: lazyFindings.loaded?.findingMarks(this.#allLines),
      envelopes: this.options.roomy && !this.#groups ? "emphasized" : "all",
      automaticY: this.settings.lim === undefined,
      roomy: this.options.roomy ?? false,
      moving: this.#moving !== null,
      theme: chartTheme(),
    };
  });

  /** Keeps the data up to date for as long as the effect lives that calls this. */
  follow(): void {
    let last: ChartDataQuery | null = null;
    this.#current.follow(() => (last = this.width === 0 ? null : board.awaitsGroups ? last : this.query));
    $effect(() => {
      if (this.data?.whole) this.extent = this.data.span;
    });
    $effect(() => {
      // Without a connection, which the header shows, the next chart tries again.
      if (this.tags.length > 1)
        import("./secondAxis").then(
          (code) => (secondAxis = code),
          () => {},
        );
    });
    $effect(() => this.#requestEmphasized(board.emphasized));
    $effect(() => {
      onScreen.add(this);
      return () => onScreen.delete(this);
    });
  }

  setWidth(pixels: number): void {
    const rounded = Math.ceil(pixels / 20) * 20;
    if (rounded > 0) this.width = rounded;
  }

  get zoomed(): boolean {
    return this.#settledZoom !== null || this.settings.lim !== undefined;
  }

  #bothLimits(): [number, number] | null {
    const [lo, hi] = this.settings.lim ?? [null, null];
    return lo !== null && hi !== null && lo < hi ? [lo, hi] : null;
  }

  /** A tag or the text of a formula, and whether it is on the second axis. */
  titleOf(entry: string): string {
    return (own.value[this.tag] ? shownEntry(entry) : entry) + (this.right?.tags.has(entry) ? " (right)" : "");
  }

  /** The label is the run, and the tag if the chart has several. */
  lookOf(line: { run: string; tag: string }): Look {
    const label = board.label(line.run);
    return {
      color: board.color(line.run),
      label: this.tags.length > 1 ? `${label} · ${this.titleOf(line.tag)}` : label,
      // With several tags, each tag of a run has its own dash.
      dash: dashOf(board.dash(line.run) * this.tags.length + this.tags.indexOf(line.tag)),
      live: board.state(line.run) === "live",
    };
  }

  #requestEmphasized(run: string | null): void {
    clearTimeout(this.#timer);
    const { data } = this;
    if (!data?.density || !run || data.lines.some((line) => line.run === run)) return;
    this.#timer = setTimeout(() => (this.#emphasized = run), EMPHASIS_DELAY_MS);
  }
}
