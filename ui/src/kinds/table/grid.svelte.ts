/** Geometry and keyboard state of the grid: which rows and columns are near the viewport, and the active cell. */
import { panel } from "../../app/runs/panel.svelte";
import { rowWindow } from "../../widgets/rowWindow";
import { type Column, widthOf } from "./columns";
import type { TableModel } from "./model.svelte";

export const ROW_PX = 28;
export const HEAD_PX = 44;
export const RUN_PX = 240;
/** Pixels beyond the edges, so that scrolling sideways shows no gap. */
const SPARE_PX = 200;

export class Grid {
  top = $state(0);
  left = $state(0);
  width = $state(1000);
  height = $state(600);
  /** The active cell: its run, and its column. Null is the column of names. */
  run = $state<string | null>(null);
  columnId = $state<string | null>(null);
  hasKeys = $state(false);
  box: HTMLElement | undefined;

  constructor(readonly model: TableModel) {}

  #widths = $derived.by(() => this.model.columns.map(widthOf));
  #ends = $derived.by(() => {
    let end = 0;
    return this.#widths.map((width) => (end += width));
  });
  totalPx = $derived(RUN_PX + (this.#ends.at(-1) ?? 0));
  rowRange = $derived.by(() => rowWindow(this.model.rows.length, ROW_PX, this.top, this.height - HEAD_PX));
  /** The first column near the viewport, and the one after the last. */
  columnRange = $derived.by((): [number, number] => {
    const from = this.#ends.findIndex((end) => end > this.left - SPARE_PX);
    const after = this.#ends.findIndex((end, i) => end - this.#widths[i]! > this.left + this.width - RUN_PX + SPARE_PX);
    return from < 0 ? [0, 0] : [from, after < 0 ? this.#ends.length : after];
  });
  columns = $derived.by(() => this.model.columns.slice(...this.columnRange));
  /** Names, the columns before those that exist, and these. */
  template = $derived.by(() => {
    const [from, to] = this.columnRange;
    const before = from ? this.#ends[from - 1]! : 0;
    return [RUN_PX, before, ...this.#widths.slice(from, to)].map((px) => `${px}px`).join(" ");
  });

  get row(): number {
    return this.run === null ? -1 : this.model.runs.indexOf(this.run);
  }

  get column(): Column | null {
    return this.model.columns.find(({ id }) => id === this.columnId) ?? null;
  }

  get activeId(): string | undefined {
    return this.run === null ? undefined : cellId(this.run, this.columnId);
  }

  focus(run: string | null, columnId: string | null): void {
    this.run = run;
    this.columnId = columnId;
  }

  /** Moves the active cell. With `extend`, selects the rows in between. */
  move(down: number, right: number, extend = false): void {
    const { rows, columns } = this.model;
    if (rows.length === 0) return;
    const at = rows.indexOf(this.row);
    const to = at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + down));
    const column = Math.max(
      -1,
      Math.min(columns.length - 1, columns.findIndex(({ id }) => id === this.columnId) + right),
    );
    if (extend) this.pickTo(this.model.id(rows[to]!));
    this.focus(this.model.id(rows[to]!), columns[column]?.id ?? null);
    this.#reveal(to, column);
  }

  #reveal(place: number, column: number): void {
    const { box } = this;
    if (!box) return;
    const [from, to] = [place * ROW_PX, (place + 1) * ROW_PX + HEAD_PX];
    if (from < box.scrollTop) box.scrollTop = from;
    else if (to > box.scrollTop + box.clientHeight) box.scrollTop = to - box.clientHeight;
    if (column < 0) return;
    const [start, end] = [this.#ends[column]! - this.#widths[column]!, this.#ends[column]! + RUN_PX];
    if (start < box.scrollLeft) box.scrollLeft = start;
    else if (end > box.scrollLeft + box.clientWidth) box.scrollLeft = end - box.clientWidth;
  }

  /** Selects a row for comparing, or no longer. */
  pick(run: string): void {
    const next = new Set(panel.picked);
    if (!next.delete(run)) next.add(run);
    panel.picked = next;
  }

  /** Selects the rows from the active one to this one. */
  pickTo(run: string): void {
    const { rows, runs } = this.model;
    const ends = [this.run ?? run, run].map((id) => rows.findIndex((row) => runs[row] === id));
    const range = rows.slice(Math.max(0, Math.min(...ends)), Math.max(...ends) + 1);
    panel.picked = new Set([...panel.picked, ...range.map((row) => runs[row]!)]);
  }
}

export const cellId = (run: string, columnId: string | null): string => `cell-${run}-${columnId ?? "run"}`;
