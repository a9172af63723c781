/* One chart: what it asks for, what it got, and how that is to be drawn. Cards and the full view show the same. */
import type { RunChoice } from "../../api/types";
import { board } from "../../app/board.svelte";
import type { Span } from "../../charts/box";
import type { ChartData, Line } from "../../charts/lines/data";
import { symlogBend, yExtent } from "../../charts/lines/extent";
import type { Plot, PlotSpec } from "../../charts/lines/plot";
import type { Look } from "../../charts/lines/scene";
import type { ScaleKind } from "../../charts/scale";
import type { XKind } from "../../charts/tickLabels";
import { chartTheme } from "../chartTheme.svelte";
import { Feed, type Question } from "./feed";
import { dashOf } from "./overlays";
import {
  cardSettings,
  ignoreOutliers,
  linkedWindow,
  linkZoom,
  setCard,
  smoothingOf,
  tagsOf,
  xAxis,
} from "./settings.svelte";

export const feed = new Feed();

/** The shown runs in the fewest words; all of them also means those that are yet to come. */
const shownRuns: RunChoice = $derived.by(() => {
  const { visible, runs } = board;
  if (visible.length * 2 < runs.length) return { only: visible.map((run) => run.id) };
  const shown = new Set(visible.map((run) => run.id));
  return { except: runs.filter((run) => !shown.has(run.id)).map((run) => run.id) };
});

export function currentRuns(): RunChoice {
  return shownRuns;
}

/** While a hand pans or turns the wheel: the window it has reached, before it is in the address. */
class Gesture {
  tag = $state<string | null>(null);
  span = $state.raw<Span | null>(null);
}

const gesture = new Gesture();

const onScreen = new Set<Chart>();

export function visibleCharts(): Chart[] {
  return [...onScreen];
}

const MAX_LINES = 60;
const EMPHASIS_DELAY_MS = 150;

export class Chart {
  data = $state.raw<ChartData | null>(null);
  /** How far the data reaches; null until all of it was asked for once. */
  extent = $state.raw<Span | null>(null);
  problem = $state<string | null>(null);
  /** In CSS pixels; rounded, so that a resize by hand does not ask at every pixel. */
  width = $state(0);
  /** Where it is drawn, while it is on screen. */
  plot: Plot | undefined;
  /** A run that a crowded chart would not draw on its own, asked for because someone points at it. */
  #wanted = $state<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly id: string,
    /** The card: a tag, or the name of one composed by hand. */
    readonly tag: string,
    private readonly options: { roomy?: boolean; whole?: boolean } = {},
  ) {}

  settings = $derived.by(() => cardSettings(this.tag));
  tags = $derived.by(() => tagsOf(this.tag));
  yKind: ScaleKind = $derived.by(() => this.settings.y ?? "linear");
  xKind: XKind = $derived.by(() => (typeof xAxis.value === "string" ? xAxis.value : "value"));

  /** Where a hand is taking it right now. */
  #moving: Span | null = $derived.by(() =>
    gesture.span && (linkZoom.value || gesture.tag === this.tag) ? gesture.span : null,
  );
  /** The part of x that is zoomed to, or null for all of it. */
  zoom: Span | null = $derived.by(() => {
    if (this.options.whole) return null;
    return this.#moving ?? (linkZoom.value ? linkedWindow.value : (this.settings.zoom ?? null));
  });
  /** As in the address: what the server is asked for. */
  #settledZoom: Span | null = $derived.by(() =>
    this.options.whole ? null : linkZoom.value ? linkedWindow.value : (this.settings.zoom ?? null),
  );

  question: Question = $derived.by(() => ({
    tags: this.tags,
    x: xAxis.value,
    range: this.#settledZoom ? [...this.#settledZoom] : null,
    width: this.width,
    smoothing: smoothingOf(this.tag),
    attempts: true,
    emphasised: this.#wanted ? [this.#wanted] : [],
    max_lines: MAX_LINES,
    y: this.data?.density ? { scale: this.yKind === "log" ? "log" : "linear", range: this.#bothLimits() } : undefined,
  }));

  /** After a reset the old part stays until the whole has come. */
  window: Span = $derived.by(() => this.zoom ?? this.extent ?? this.data?.span ?? [0, 1]);
  #settledWindow: Span = $derived.by(() => this.#settledZoom ?? this.extent ?? this.data?.span ?? [0, 1]);

  #automaticY: Span = $derived.by(() =>
    this.data
      ? yExtent(this.data, { scale: this.yKind, ignoreOutliers: ignoreOutliers.value, window: this.#settledWindow })
      : [0, 1],
  );

  y: Span = $derived.by(() => {
    const [lo, hi] = this.settings.lim ?? [null, null];
    const limits: Span = [lo ?? this.#automaticY[0], hi ?? this.#automaticY[1]];
    const valid = limits[0] < limits[1] && (this.yKind !== "log" || limits[0] > 0);
    return valid ? limits : this.#automaticY;
  });

  looks: Map<string, Look> = $derived.by(
    () => new Map((this.data?.lines ?? []).map((line) => [line.key, this.#lookOf(line)])),
  );

  spec: PlotSpec | null = $derived.by(() => {
    const { data, looks } = this;
    if (!data) return null;
    return {
      data,
      x: this.window,
      xKind: this.xKind,
      y: this.y,
      yKind: this.yKind,
      bend: this.yKind === "symlog" ? symlogBend(data) : 1,
      look: (line) => looks.get(line.key)!,
      envelopes: this.options.roomy ? "emphasized" : "all",
      roomy: this.options.roomy ?? false,
      moving: this.#moving !== null,
      theme: chartTheme(),
    };
  });

  /** Asks for its data as long as the effect lives that calls it. */
  follow(): void {
    $effect(() => {
      if (this.width === 0) return;
      feed.ask(this.id, this.question, shownRuns, {
        take: (data) => {
          this.data = data;
          if (data.whole) this.extent = data.span;
          this.problem = null;
        },
        fail: (reason) => (this.problem = reason.message),
      });
    });
    $effect(() => this.#wantEmphasized(board.emphasized));
    $effect(() => {
      onScreen.add(this);
      return () => {
        onScreen.delete(this);
        feed.leave(this.id);
      };
    });
  }

  setWidth(pixels: number): void {
    const rounded = Math.ceil(pixels / 20) * 20;
    if (rounded > 0) this.width = rounded;
  }

  zoomX(span: Span, final: boolean): void {
    const [lo, hi] = this.#withinReach(span);
    if (!final) {
      gesture.tag = this.tag;
      gesture.span = [lo, hi];
      return;
    }
    gesture.span = null;
    if (linkZoom.value) linkedWindow.value = [lo, hi];
    else setCard(this.tag, { zoom: [lo, hi] });
  }

  zoomY(span: Span): void {
    setCard(this.tag, { lim: [Number(span[0].toPrecision(6)), Number(span[1].toPrecision(6))] });
  }

  resetZoom(): void {
    gesture.span = null;
    if (linkZoom.value) linkedWindow.value = null;
    setCard(this.tag, { zoom: undefined, lim: undefined });
  }

  get zoomed(): boolean {
    return this.#settledZoom !== null || this.settings.lim !== undefined;
  }

  toggleLog(): void {
    setCard(this.tag, { y: this.yKind === "log" ? undefined : "log" });
  }

  #bothLimits(): [number, number] | null {
    const [lo, hi] = this.settings.lim ?? [null, null];
    return lo !== null && hi !== null && lo < hi ? [lo, hi] : null;
  }

  /** The name of a line within this chart: the run, and the tag where there are several. */
  #lookOf(line: Line): Look {
    const label = board.label(line.run);
    return {
      color: board.color(line.run),
      label: this.tags.length > 1 ? `${label} · ${line.tag}` : label,
      dash: dashOf(this.tags.indexOf(line.tag)),
      live: board.state(line.run) === "live",
    };
  }

  /** A zoom goes not far beyond the data, nor so far in that numbers end. */
  #withinReach([lo, hi]: Span): Span {
    const { extent } = this;
    if (!extent) return [lo, hi];
    const room = (extent[1] - extent[0]) * 0.05 || 1;
    const length = Math.min(Math.max(hi - lo, (extent[1] - extent[0]) * 1e-7), extent[1] - extent[0] + 2 * room);
    const start = Math.min(Math.max(lo, extent[0] - room), extent[1] + room - length);
    return [start, start + length];
  }

  #wantEmphasized(run: string | null): void {
    clearTimeout(this.#timer);
    const { data } = this;
    if (!data?.density || !run || data.lines.some((line) => line.run === run)) return;
    this.#timer = setTimeout(() => (this.#wanted = run), EMPHASIS_DELAY_MS);
  }
}
