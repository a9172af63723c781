/** Axes of parallel coordinates: where each trial crosses them, their ticks, and blocks of trials with the same value. */
import { nonEmpty, type Span } from "../../charts/box";
import { makeScale, type Scale, type ScaleKind } from "../../charts/scale";
import { valueTicks } from "../../charts/ticks";
import { type Cell, cellLabel, cellOf, finiteOf, settingLabel } from "../cells";
import type { Column } from "./trials";

export interface AxisOptions {
  /** By default, a log scale if the values are positive and span two decades. */
  scale?: ScaleKind;
  isFlipped?: boolean;
}

/** Trials that share a value. Each keeps its own lane, so that their lines do not bunch. */
export interface Block {
  value: Cell;
  label: string;
  count: number;
  from: number;
  to: number;
}

export interface Tick {
  at: number;
  label: string;
}

/** Positions are in pixels along the axis, 0 at its top. */
export interface Axis {
  column: Column;
  /** Position of each trial, by row. NaN for trials that are not drawn. */
  at: Float32Array;
  blocks: Block[];
  ticks: Tick[];
  /** Scale of the numbers between `from` and `to`; null if all values are blocks. */
  scale: Scale | null;
  from: number;
  to: number;
}

/** Stands for numbers that are not finite. */
export const NOT_FINITE = "NaN";
const MAX_BLOCKS = 6;
const LOG_FROM = 100;
const LANE_PX = 4;
const MIN_BLOCK_PX = 5;
const BLOCK_GAP_PX = 22;
const SPECIAL_PX = 48;
const SPREAD_PX = 24;
const TICK_PX = 44;

/** `rows` are the trials to draw, the best first. */
export function makeAxis(
  column: Column,
  rows: readonly number[],
  length: number,
  options: AxisOptions & { tickPx?: number } = {},
): Axis {
  const axis: Axis = {
    column,
    at: new Float32Array(column.cells.kind.length).fill(NaN),
    blocks: [],
    ticks: [],
    scale: null,
    from: 0,
    to: length,
  };
  const groups = groupByValue(column, rows);
  if (isDiscrete(column, groups, rows.length)) {
    const values = sortedValues(column, [...groups.keys()]);
    placeBlocks(axis, options.isFlipped ? values.reverse() : values, groups, 0, length);
    return axis;
  }
  const special = [NOT_FINITE, null].filter((value) => groups.has(value));
  if (special.length) {
    axis.to = length - special.length * SPECIAL_PX;
    placeBlocks(axis, [...special].reverse(), groups, axis.to, length);
  }
  placeNumbers(axis, rows, groups, options);
  return axis;
}

/** Returns the rows of each value. All numbers that are not finite are one. */
export function groupByValue(column: Column, rows: readonly number[]): Map<Cell, number[]> {
  const groups = new Map<Cell, number[]>();
  for (const row of rows) {
    const cell = cellOf(column, row);
    const value = typeof cell === "number" && !Number.isFinite(cell) ? NOT_FINITE : cell;
    const group = groups.get(value);
    if (group) group.push(row);
    else groups.set(value, [row]);
  }
  return groups;
}

function isDiscrete(column: Column, groups: Map<Cell, number[]>, count: number): boolean {
  if (!column.isNumber) return true;
  if (column.metric) return false;
  return groups.size <= MAX_BLOCKS && 2 * groups.size <= count;
}

/** From the bottom of an axis to its top. Missing values are at the bottom. */
export function sortedValues(column: Column, values: Cell[]): Cell[] {
  const declared = column.choices ?? [];
  const rank = (value: Cell): number =>
    value === null ? -3 : value === NOT_FINITE && column.isNumber ? -2 : declared.indexOf(value);
  const compare = (a: Cell, b: Cell): number => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(b).localeCompare(String(a), undefined, { numeric: true });
  };
  const isOrdered = !column.isNumber && declared.length > 0;
  const isSpecial = (value: Cell): boolean => rank(value) < -1;
  return values.sort((a, b) =>
    isOrdered || isSpecial(a) || isSpecial(b) ? rank(a) - rank(b) || compare(a, b) : compare(a, b),
  );
}

/** Places a block for each value, the first at the bottom. */
function placeBlocks(axis: Axis, values: Cell[], groups: Map<Cell, number[]>, from: number, to: number): void {
  const count = values.reduce<number>((sum, value) => sum + groups.get(value)!.length, 0);
  const lane = Math.min(LANE_PX, Math.max(0, (to - from - BLOCK_GAP_PX * (values.length + 0.4)) / count));
  const sizes = values.map((value) =>
    Math.min(Math.max(MIN_BLOCK_PX, groups.get(value)!.length * lane), (to - from) / values.length),
  );
  const free = (to - from - sizes.reduce((sum, size) => sum + size, 0)) / values.length;
  let bottom = to - free / 2;
  values.forEach((value, i) => {
    const [size, rows] = [sizes[i]!, groups.get(value)!];
    const top = bottom - size;
    rows.forEach((row, j) => (axis.at[row] = top + ((j + 0.5) * size) / rows.length));
    axis.blocks.push({ value, label: settingLabel(value), count: rows.length, from: top, to: bottom });
    bottom = top - free;
  });
}

function placeNumbers(
  axis: Axis,
  rows: readonly number[],
  groups: Map<Cell, number[]>,
  options: AxisOptions & { tickPx?: number },
): void {
  const { column } = axis;
  const span = spanOf(column, rows);
  if (!span) return;
  const kind = scaleKind(options.scale, span);
  const scale = makeScale(kind, padded(kind, span));
  const length = axis.to - axis.from;
  const place = (value: number): number =>
    axis.from + (options.isFlipped ? scale.at(value) : 1 - scale.at(value)) * length;
  for (const [value, group] of groups) {
    if (typeof value !== "number") continue;
    const spread = Math.min(2.4, SPREAD_PX / group.length);
    group.forEach((row, j) => (axis.at[row] = place(value) + (j - (group.length - 1) / 2) * spread));
  }
  const { at, labels } = valueTicks(scale, Math.max(2, length / (options.tickPx ?? TICK_PX)));
  axis.ticks = at.map((value, i) => ({ at: place(value), label: labels[i]! }));
  // A position of the scale is one of the axis, so that a brush finds its values.
  axis.scale = options.isFlipped
    ? scale
    : { ...scale, at: (v) => 1 - scale.at(v), value: (share) => scale.value(1 - share) };
}

/** The range of the numbers, and of what was declared; null if there are none. */
export function spanOf(column: Column, rows: readonly number[]): Span | null {
  let [lo, hi] = [Infinity, -Infinity];
  for (const row of rows) {
    const value = finiteOf(column, row);
    if (value < lo) lo = value;
    if (value > hi) hi = value;
  }
  if (lo > hi) return null;
  const [from, to] = column.interval ?? [lo, hi];
  return [Math.min(lo, Number.isFinite(from) ? from : lo), Math.max(hi, Number.isFinite(to) ? to : hi)];
}

export function scaleKind(wanted: ScaleKind | undefined, [lo, hi]: Span): ScaleKind {
  if (wanted === "log" && lo <= 0) return "symlog";
  return wanted ?? (lo > 0 && hi / lo >= LOG_FROM ? "log" : "linear");
}

/** A little wider, so that no line runs along the end of an axis. */
export function padded(kind: ScaleKind, span: Span): Span {
  if (kind === "log") {
    const factor = span[0] === span[1] ? 2 : (span[1] / span[0]) ** 0.04;
    return [span[0] / factor, span[1] * factor];
  }
  const [lo, hi] = nonEmpty(span);
  return [lo - (hi - lo) * 0.04, hi + (hi - lo) * 0.04];
}

/** A cell in full. A hyperparameter has the digits that somebody chose, a metric four. */
export function cellText(column: Column, row: number): string {
  const value = cellOf(column, row);
  return column.metric ? cellLabel(value) : settingLabel(value);
}
