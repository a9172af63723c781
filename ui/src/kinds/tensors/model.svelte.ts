/* What the Tensors tab shows: one tensor of one run, at the shared step. */
import { board } from "../../app/board.svelte";
import { Current } from "../../api/resource.svelte";
import type { TensorSeries } from "../../api/types";
import { byTag, placeAt, SeriesList } from "../../app/series.svelte";
import { TagFilter } from "../../app/view/tagFilter.svelte";
import { type Grid, type Index, validIndex } from "./grid";
import { histories, type HistoryQuery, type PointQuery, slices, type SliceQuery, statistics } from "./queries";
import * as settings from "./settings";

/** Largest grid of a heatmap. A larger slice is reduced by the server. */
const HEAT = 256;
export const TABLE_ROWS = 50;
export const TABLE_COLUMNS = 16;

/** Until the data of another step or slice arrives, that of the same tensor stays. */
const isSameTensor = (older: PointQuery, newer: PointQuery): boolean =>
  older.run === newer.run && older.tag === newer.tag;

export class TensorsModel {
  list = new SeriesList<TensorSeries>("tensors");
  search = new TagFilter("tensors.tags", "Filter tensors");
  slice = new Current(slices, isSameTensor);
  statistics = new Current(statistics, isSameTensor);
  history = new Current(histories);
  runs = $derived.by(() => {
    const having = new Set(this.list.all.map(({ run }) => run));
    return board.visible.map(({ id }) => id).filter((id) => having.has(id));
  });
  run = $derived(this.runs.find((run) => run === settings.run.value) ?? this.runs[0] ?? "");
  tensors = $derived(
    byTag(
      this.list.all.filter(({ run }) => run === this.run),
      (tag) => this.search.passes(tag),
    ).map(([, series]) => series[0]!),
  );
  series = $derived(this.tensors.find(({ tag }) => tag === settings.tag.value) ?? this.tensors[0]);
  steps = $derived(this.series?.steps ?? []);
  step = $derived(this.steps[placeAt(this.steps, settings.step.value)] ?? 0);
  isText = $derived(this.series?.dtype === "string");
  /** The shape at the shown step, which may differ from that of the newest. */
  shape = $derived.by(() => {
    const query = this.#sliceQuery();
    // Not the slice on screen, which may still be that of another tensor.
    const slice = query ? slices.get(query) : undefined;
    return (slice instanceof Error ? undefined : slice?.shape) ?? this.series?.shape ?? [];
  });
  index = $derived(validIndex(settings.index.value, this.shape));
  mode = $derived(this.isText ? "table" : settings.mode.value);
  /** The grid to draw; undefined until it has arrived. */
  grid = $derived.by((): Grid | undefined => {
    const slice = this.slice.data;
    if (!slice) return undefined;
    const [top, bottom, left, right] = slice.window;
    const { values, rows, columns } = slice;
    return { values, rows, columns, top, left, height: bottom - top, width: right - left };
  });

  follow(): void {
    this.list.follow();
    this.slice.follow(() => this.#sliceQuery());
    this.statistics.follow(() => (this.isText ? null : this.#pointQuery()));
    this.history.follow(() => this.#historyQuery());
  }

  choose(tag: string): void {
    settings.tag.value = tag;
    settings.index.value = null;
    this.#forgetPlace();
  }

  setIndex(index: Index): void {
    settings.index.value = index;
    this.#forgetPlace();
  }

  #forgetPlace(): void {
    settings.zoom.value = null;
    settings.corner.value = [0, 0];
  }

  #sliceQuery(): SliceQuery | null {
    if (this.series?.dtype === undefined) return null;
    const { run, tag } = this.series;
    const index = settings.index.value === null ? null : validIndex(settings.index.value, this.series.shape ?? []);
    const point = { run, tag, step: this.step, index };
    if (this.mode === "heat") return { ...point, window: settings.zoom.value, rows: HEAT, columns: HEAT };
    const [top, left] = settings.corner.value;
    const window: settings.Window = [top, top + TABLE_ROWS, left, left + TABLE_COLUMNS];
    return { ...point, window, rows: TABLE_ROWS, columns: TABLE_COLUMNS };
  }

  #pointQuery(): PointQuery | null {
    if (this.series?.dtype === undefined) return null;
    const { run, tag } = this.series;
    return { run, tag, step: this.step, index: settings.scope.value === "slice" ? this.index : null };
  }

  #historyQuery(): HistoryQuery | null {
    const query = this.isText || this.steps.length < 2 ? null : this.#pointQuery();
    return query && { run: query.run, tag: query.tag, index: query.index };
  }
}
