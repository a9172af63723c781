/** Histograms of one tensor as they are drawn: the grid, its axes, and its layout. */
import { type Box, nonEmpty, type Span, widthOf, heightOf } from "../../charts/box";
import { type Frame, makeFrame } from "../../charts/frame";
import { makeScale } from "../../charts/scale";
import { NO_TICKS, valueTicks, xTicks } from "../../charts/ticks";
import { type HistogramGrid, type HistogramX, isFlat, type Shape } from "./histogramGrid";

export interface HistogramScene {
  grid: HistogramGrid;
  /** Color of the run. */
  color: string;
  shape: Shape;
  x: HistogramX;
  /** Range of the time axis: that of the grid, or of all grids in the same chart. */
  span: Span;
  /** Range of the values: that of the grid, or of all grids on the same axis. */
  range: Span;
  logCounts: boolean;
}

const TOP = 8;
const BOTTOM = 24;
const NARROW = 12;
/** Left margin for value labels, and right margin for the steps of ridges. */
const VALUE_LABELS = 44;
const STEP_LABELS = 60;

/** Heatmaps and bands have time on the x axis and values on the y axis. Ridges have values on the x axis, and later steps lower. */
export function makeHistogramFrame(scene: HistogramScene, width: number, height: number): Frame {
  const { shape, range, span } = scene;
  const flat = isFlat(shape);
  const left = flat ? VALUE_LABELS : NARROW;
  const right = shape === "ridge" ? STEP_LABELS : NARROW;
  const box: Box = {
    left,
    top: TOP,
    right: Math.max(left + 1, width - right),
    bottom: Math.max(TOP + 1, height - BOTTOM),
  };
  const values = makeScale("linear", range);
  const [first, last] = nonEmpty(span);
  if (!flat) {
    return makeFrame({
      width,
      height,
      box,
      x: values,
      y: makeScale("linear", [last, first]),
      xKind: "value",
      xTicks: valueTicks(values, Math.max(3, Math.floor(widthOf(box) / 60))),
      yTicks: NO_TICKS,
    });
  }
  return makeFrame({
    width,
    height,
    box,
    x: makeScale("linear", [first, last]),
    y: values,
    xKind: scene.x,
    xTicks: xTicks(scene.x, ...span, Math.max(2, Math.floor(widthOf(box) / 100))),
    // The ticks of a tall plot are further apart.
    yTicks: valueTicks(values, Math.max(2, Math.floor(Math.sqrt(heightOf(box)) / 3))),
  });
}

/** Returns a function from a count to its height, of 1. */
export function countScale({ grid, logCounts }: HistogramScene): (count: number) => number {
  const peak = grid.peak || 1;
  return logCounts ? (count) => Math.log1p(Math.max(0, count)) / Math.log1p(peak) : (count) => count / peak;
}
