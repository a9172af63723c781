/** State of the view: the trials, which of them are selected, and the columns on screen. */
import { Current } from "../../api/resource.svelte";
import { board } from "../../app/board.svelte";
import { type Direction, finiteOf } from "../cells";
import { chartTheme } from "../chartTheme.svelte";
import { type AxisOptions, groupByValue } from "./axis";
import { type Brush, brushedRows, type Brushes } from "./brush";
import { makeColorScale } from "./colors";
import { settings } from "./settings";
import { type Column, metricId, metricOfId, type MetricRef, type MetricValue, trialsTable } from "./trials";

/** More axes would leave no room between them. */
const MAX_AXES = 7;
const MAX_METRIC_AXES = 3;
/** Seeds explain nothing. */
const SEED = /(^|[._/-])seed$/i;

export class HParamsModel {
  #current = new Current(trialsTable, () => true);
  trials = $derived(this.#current.data);
  error = $derived(this.#current.error);
  /** While a brush is drawn. */
  #drawn = $state.raw<Brushes | null>(null);
  /** The selection before the first brush, to restore it. */
  #before: string[] | null = null;

  /** Rows of the trials that the sidebar lists. */
  rows = $derived.by((): readonly number[] => {
    if (!this.trials) return [];
    const listed = new Set(board.listed.map((run) => run.id));
    return this.trials.runs.flatMap((run, row) => (listed.has(run) ? [row] : []));
  });
  /** Hyperparameters that differ among the trials. Names that differ in every run say nothing. */
  hparams = $derived((this.trials?.hparams ?? []).filter((column) => this.#differs(column)));
  metrics = $derived((this.trials?.metrics ?? []).map((column) => this.#directed(column)));
  /** All columns that can be shown. */
  all = $derived([...this.metrics, ...(this.trials?.hparams ?? [])]);
  columns = $derived.by((): Column[] => {
    const chosen = settings.columns.value;
    if (!chosen.length) return [...this.metrics, ...this.hparams];
    return this.all.filter(({ id }) => chosen.includes(id));
  });
  /** Hyperparameters first, then metrics, unless the axes were moved. */
  axes = $derived.by((): Column[] => {
    const shown = this.columns;
    const hparams = shown.filter(({ metric }) => !metric);
    const metrics = shown.filter(({ metric }) => metric);
    const usual = settings.columns.value.length
      ? [...hparams, ...metrics]
      : [...hparams.filter(({ title }) => !SEED.test(title)).slice(0, MAX_AXES), ...metrics.slice(0, MAX_METRIC_AXES)];
    const order = settings.order.value;
    const rank = ({ id }: Column): number => (order.includes(id) ? order.indexOf(id) : Infinity);
    return order.length ? usual.toSorted((a, b) => rank(a) - rank(b) || 0) : usual;
  });
  colorColumn = $derived(this.columnOf(settings.color.value) ?? this.metrics[0] ?? null);
  brushes = $derived(this.#drawn ?? settings.brushes.value);
  /** Rows that pass the brushes, the best first. */
  ranked = $derived.by((): readonly number[] => {
    const column = this.colorColumn;
    if (!column) return this.rows;
    const sign = column.best === "max" ? -1 : 1;
    const loss = (row: number): number => {
      const value = sign * finiteOf(column, row);
      return Number.isNaN(value) ? Infinity : value;
    };
    const losses = new Map(this.rows.map((row) => [row, loss(row)]));
    return this.rows.toSorted((a, b) => compare(losses.get(a)!, losses.get(b)!));
  });
  passing = $derived(brushedRows(this.all, this.brushes, this.ranked));
  bright = $derived(this.passing.filter((row) => board.isSelected(this.trials!.runs[row]!)));
  faint = $derived.by(() => {
    const bright = new Set(this.bright);
    return this.ranked.filter((row) => !bright.has(row));
  });
  colors = $derived(makeColorScale(this.colorColumn, this.rows, chartTheme()));
  /** The row of the run under the pointer. */
  emphasized = $derived.by(() => {
    const row = board.emphasized === null ? -1 : (this.trials?.runs.indexOf(board.emphasized) ?? -1);
    return row >= 0 && this.rows.includes(row) ? row : null;
  });
  value = $derived.by((): MetricValue => {
    const kind = settings.value.value;
    if (kind !== "best") return kind;
    const ref = metricOfId(settings.bestOf.value);
    if (!ref) return "last";
    return { at_best: ref, direction: this.directionOf(ref) };
  });

  follow(): void {
    this.#current.follow(() => ({ metrics: this.#requested(), value: this.value }));
  }

  columnOf(id: string): Column | undefined {
    return this.all.find((column) => column.id === id);
  }

  directionOf(ref: MetricRef): Direction {
    const known = this.trials?.allMetrics.find(({ group, tag }) => group === ref.group && tag === ref.tag);
    return settings.better.value[metricId(ref)] ?? known?.best ?? "min";
  }

  /** Default of an axis: the best values of a metric are at the top. */
  optionsOf(column: Column): AxisOptions {
    const own = settings.axes.value[column.id] ?? {};
    return { isFlipped: column.best === "min", ...own };
  }

  setAxis(column: Column, options: AxisOptions): void {
    settings.axes.value = { ...settings.axes.value, [column.id]: { ...settings.axes.value[column.id], ...options } };
  }

  move(column: Column, to: number): void {
    const ids = this.axes.map(({ id }) => id).filter((id) => id !== column.id);
    ids.splice(to, 0, column.id);
    settings.order.value = ids;
  }

  /** Shows a brush while it is drawn. */
  preview(column: Column, brush: Brush | null): void {
    this.#drawn = withBrush(settings.brushes.value, column, brush);
  }

  cancelPreview(): void {
    this.#drawn = null;
  }

  /** Sets brushes, and selects the trials that pass all of them, here and in all other views. */
  brush(...changes: [Column, Brush | null][]): void {
    this.#drawn = null;
    const before = settings.brushes.value;
    const next = changes.reduce((brushes, [column, brush]) => withBrush(brushes, column, brush), before);
    if (!Object.keys(before).length)
      this.#before = board.visible.length === board.listed.length ? null : board.visible.map((run) => run.id);
    settings.brushes.value = next;
    if (Object.keys(next).length) board.selectOnly(this.#runsOf(brushedRows(this.all, next, this.rows)));
    else if (this.#before) board.selectOnly(this.#before);
    else board.selectAll();
  }

  clearBrushes(): void {
    const columns = Object.keys(settings.brushes.value).map((id) => [{ id } as Column, null] as [Column, null]);
    this.brush(...columns);
  }

  /** Ids of the runs of trials, with the runs below them. */
  #runsOf(rows: readonly number[]): string[] {
    const heads = new Set(rows.map((row) => this.trials!.runs[row]!));
    const names = new Set(board.runs.filter(({ id }) => heads.has(id)).map(({ name }) => name));
    const others = new Set(this.trials!.runs);
    const isBelow = (name: string): boolean => {
      for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1))
        if (names.has(name.slice(0, at))) return true;
      return false;
    };
    const below = board.runs.filter(({ id, name }) => !others.has(id) && isBelow(name));
    return [...heads, ...below.map(({ id }) => id)];
  }

  #differs(column: Column): boolean {
    const values = groupByValue(column, this.rows).size;
    return values > 1 && (column.isNumber || values <= 20 || 2 * values <= this.rows.length);
  }

  #directed(column: Column): Column {
    const best = settings.better.value[column.id] ?? column.best;
    return best === column.best ? column : { ...column, best };
  }

  /** The metrics among the chosen columns; null lets the server choose. */
  #requested(): MetricRef[] | null {
    const chosen = settings.columns.value.map(metricOfId).filter((ref) => ref !== null);
    return settings.columns.value.length ? chosen : null;
  }
}

const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

function withBrush(brushes: Brushes, { id }: Column, brush: Brush | null): Brushes {
  const others = Object.entries(brushes).filter(([other]) => other !== id);
  return Object.fromEntries(brush ? [...others, [id, brush]] : others);
}
