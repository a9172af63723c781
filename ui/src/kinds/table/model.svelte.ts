/** State of the view: its columns with their cells, and the order of the runs. */
import { onChanged } from "../../api/live";
import { Current } from "../../api/resource.svelte";
import { board } from "../../app/board.svelte";
import { panel } from "../../app/runs/panel.svelte";
import { type Cells, type Direction, MISSING } from "../cells";
import { hyperparameterOf, metricOf } from "../fieldNames";
import { barSpan, bestRow, countValues, sortRows, type Span } from "../tableRows";
import { align } from "./align";
import { type Column, fieldOf, hasBar, isCurve, isName, titleOf, usualColumns } from "./columns";
import { type FactQuery, facts, fieldLists } from "./facts";
import { settings } from "./settings";

/** These facts change with names, notes and tags, which the server's cursor does not count. */
const ANNOTATED = ["alias", "note", "tags"];
const NO_CELLS: Cells = { kind: new Uint8Array(), number: new Float64Array(), code: new Int32Array(), texts: [] };

export interface Sorting {
  id: string;
  isDescending: boolean;
}

export class TableModel {
  #fields = new Current(fieldLists, () => true);
  #changes = $state(0);
  /** The pointer is over the rows, which must not move under it. */
  isHeld = $state(false);
  #heldOrder: { key: string; rows: readonly number[] } | null = null;

  total = $derived(this.#fields.data?.total);
  fieldsError = $derived(this.#fields.error);
  /** Ids of all runs. The array stays the same while its items do. */
  runs = $derived.by((): readonly string[] => {
    const ids = board.runs.map(({ id }) => id);
    const before = this.#lastRuns;
    return before.length === ids.length && before.every((id, i) => id === ids[i]) ? before : (this.#lastRuns = ids);
  });
  #lastRuns: readonly string[] = [];
  #rowOf = $derived(new Map(this.runs.map((id, row) => [id, row])));
  /** Rows of the runs that the sidebar lists. */
  listed = $derived(board.listed.map(({ id }) => this.#rowOf.get(id)!));
  #hasTags = $derived(board.runs.some(({ tags }) => tags?.length));

  isUsual = $derived(settings.columns.value.length === 0);
  /** Ids of the columns, also of those that are hidden because they are equal everywhere. */
  ids = $derived(this.isUsual ? usualColumns(this.#fields.data?.fields ?? [], this.#hasTags) : settings.columns.value);
  #all = $derived(this.ids.map((id) => this.#column(id)));
  hiddenCount = $derived(this.#all.filter((column) => this.#isEqual(column)).length);
  columns = $derived(
    this.#all.filter((column) => (settings.equal.value || !this.#isEqual(column)) && !this.#isOnlyNames(column)),
  );
  /** Whether the columns that are first seen have arrived. */
  isReady = $derived(this.#fields.data !== undefined && this.#all.every(({ type, problem }) => type || problem));
  error = $derived(this.fieldsError ?? (this.#all.length ? this.#failure() : null));

  sorting = $derived.by((): Sorting[] => {
    const chosen = settings.sort.value.map((text) => ({
      id: text.replace(/^-/, ""),
      isDescending: text.startsWith("-"),
    }));
    if (chosen.length) return chosen;
    const main = this.#all.find((column) => hasBar(column) && column.best);
    return main ? [{ id: main.id, isDescending: main.best === "max" }] : [];
  });
  #order = $derived.by((): readonly number[] => {
    const keys = this.sorting.map(({ id, isDescending }) => ({ column: this.#column(id), isDescending }));
    return sortRows(
      this.listed,
      keys.filter(({ column }) => column.cells !== NO_CELLS),
    );
  });
  /** Rows in the order on screen. While the pointer is over them, new points change only what the cells say. */
  rows = $derived.by((): readonly number[] => {
    const order = this.#order;
    const key = JSON.stringify([this.sorting, order.length]);
    const held = this.#heldOrder;
    if (this.isHeld && held?.key === key && sameRows(held.rows, order)) return held.rows;
    this.#heldOrder = { key, rows: order };
    return order;
  });
  picked = $derived(this.rows.filter((row) => panel.picked.has(this.runs[row]!)));

  #spans = new WeakMap<Cells, { rows: readonly number[]; span: Span }>();

  follow(): void {
    $effect(() => onChanged((what) => what === "sidecar" && (this.#changes += 1)));
    this.#fields.follow(() => ({ search: "" }));
    $effect(() => {
      const sorted = this.sorting.map(({ id }) => fieldOf(id));
      const needed = new Set([...this.ids.filter((id) => !isCurve(id)).map(fieldOf), ...sorted]);
      if (this.ids.some(isCurve)) needed.add("last_step");
      const stops = [...needed].map((field) => facts.use(this.#query(field)));
      return () => stops.forEach((stop) => stop());
    });
  }

  retry(): void {
    facts.retry();
    fieldLists.retry();
  }

  id(row: number): string {
    return this.runs[row]!;
  }

  /** The column of an id, whether it is on screen or not. */
  column(id: string): Column {
    return this.#column(id);
  }

  /** Which values of a metric are better, by the columns that show it, else by its name. */
  directionOf(tag: string): Direction | null {
    const shown = this.#all.find(({ metric, shows, best }) => shows === "values" && metric?.tag === tag && best);
    const field = this.#fields.data?.fields.find(({ source, name }) => source === "metric" && name === tag);
    return shown?.best ?? field?.best ?? null;
  }

  bestOf(column: Column): number | null {
    return bestRow(column, this.listed);
  }

  span(column: Column): Span {
    const known = this.#spans.get(column.cells);
    if (known?.rows === this.listed) return known.span;
    const span = barSpan(column, this.listed);
    this.#spans.set(column.cells, { rows: this.listed, span });
    return span;
  }

  /** The largest step of all runs, for a common x axis of curves. */
  lastStep = $derived.by((): number => {
    const { cells } = this.#column("last_step");
    return this.listed.reduce((most, row) => Math.max(most, cells.number[row] ?? 0), 0);
  });

  /** Sorts by a column; a second time in reverse. With `more`, after the columns that are sorted by already. */
  sortBy(column: Column, more: boolean): void {
    const current = this.sorting.find(({ id }) => id === column.id);
    const isDescending = current ? !current.isDescending : column.best === "max";
    this.sort(column, isDescending, more);
  }

  sort(column: Column, isDescending: boolean, more: boolean): void {
    const text = `${isDescending ? "-" : ""}${column.id}`;
    const texts = this.sorting.map(({ id, isDescending }) => `${isDescending ? "-" : ""}${id}`);
    const at = this.sorting.findIndex(({ id }) => id === column.id);
    if (!more) settings.sort.value = [text];
    else settings.sort.value = at < 0 ? [...texts, text] : texts.with(at, text);
  }

  unsort(column: Column): void {
    const rest = this.sorting.filter(({ id }) => id !== column.id);
    settings.sort.value = rest.map(({ id, isDescending }) => `${isDescending ? "-" : ""}${id}`);
  }

  add(id: string): void {
    if (!this.ids.includes(id)) settings.columns.value = [...this.#kept(), id];
  }

  remove(id: string): void {
    settings.columns.value = this.#kept().filter((other) => other !== id);
  }

  replace(id: string, by: string): void {
    settings.columns.value = this.#kept().map((other) => (other === id ? by : other));
    settings.sort.value = settings.sort.value.map((text) =>
      text.replace(/^-/, "") === id ? text.replace(id, by) : text,
    );
  }

  /** Moves a column to the place of the next one on screen, or of the one before it. */
  move(column: Column, by: 1 | -1): void {
    const neighbor = this.columns[this.columns.indexOf(column) + by];
    if (!neighbor) return;
    const ids = this.#kept().filter((id) => id !== column.id);
    ids.splice(ids.indexOf(neighbor.id) + (by === 1 ? 1 : 0), 0, column.id);
    settings.columns.value = ids;
  }

  setBetter(column: Column, better: Direction | "none"): void {
    settings.better.value = { ...settings.better.value, [column.field]: better };
  }

  /** The columns to start from when somebody changes them. Columns of names would appear that the view left out. */
  #kept(): string[] {
    return this.isUsual ? this.ids.filter((id) => !this.#isOnlyNames(this.#column(id))) : [...this.ids];
  }

  #query(field: string): FactQuery {
    return { field, changes: ANNOTATED.includes(field) ? this.#changes : 0 };
  }

  #latest = new Map<string, Column>();

  #column(id: string): Column {
    const field = fieldOf(id);
    const query = this.#query(field);
    const found = facts.get(query);
    const metric = metricOf(field);
    const shows = isCurve(id) ? ("curve" as const) : ("values" as const);
    const base = { id, field, shows, title: titleOf(id), metric };
    if (shows === "curve") return { ...base, type: "number", best: null, cells: NO_CELLS, problem: null };
    if (found instanceof Error) return { ...base, type: "", best: null, cells: NO_CELLS, problem: found.message };
    // After a change of names or tags, the old ones stay until the new ones have arrived.
    if (!found) return this.#latest.get(id) ?? { ...base, type: "", best: null, cells: NO_CELLS, problem: null };
    const own = settings.better.value[field];
    const best = own === "none" ? null : (own ?? found.best);
    const column = { ...base, type: found.type, best, cells: align(found, this.runs), problem: null };
    this.#latest.set(id, column);
    return column;
  }

  #isEqual(column: Column): boolean {
    if (column.shows === "curve" || column.problem || column.cells === NO_CELLS || this.listed.length < 2) return false;
    return countValues(column, this.listed, 2) < 2;
  }

  #isOnlyNames(column: Column): boolean {
    if (!this.isUsual || hyperparameterOf(column.field) === null || column.type !== "text") return false;
    return isName(column, countValues(column, this.listed, this.listed.length), this.listed.length);
  }

  /** Why not even one column has arrived. */
  #failure(): Error | null {
    const problems = this.#all.filter(({ shows }) => shows === "values").map(({ problem }) => problem);
    return problems.length && problems.every(Boolean) && !settings.columns.value.length
      ? new Error(problems[0]!)
      : null;
  }
}

export const isMissing = ({ cells }: Column, row: number): boolean => (cells.kind[row] ?? MISSING) === MISSING;

function sameRows(a: readonly number[], b: readonly number[]): boolean {
  const known = new Set(a);
  return a.length === b.length && b.every((row) => known.has(row));
}
