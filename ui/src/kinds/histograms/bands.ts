/** Percentiles of the values over the steps, as bands. The bands of several runs lie above each other. */
import { drawAxes } from "../../charts/axes";
import { clamp, widthOf } from "../../charts/box";
import type { Frame } from "../../charts/frame";
import type { Pen } from "../../charts/pen";
import { type Point, strokePoints, tracePoints } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import { columnEdges } from "./histogramGrid";
import type { HistogramScene } from "./scene";

const MEDIAN = 4;
const MAXIMUM = 8;
/** Lower edges of the filled bands, their opacity, and the percentiles drawn as lines.
    Several runs have only the middle 68 % filled, with lines at the minimum and maximum. */
const ONE_RUN = { lower: [0, 1, 2, 3], alpha: 0.16, lines: [MEDIAN] };
const SEVERAL_RUNS = { lower: [2], alpha: 0.22, lines: [0, MAXIMUM, MEDIAN] };

export function drawBands(pen: Pen, frame: Frame, scenes: HistogramScene[], theme: Theme): void {
  drawAxes(pen, frame, theme);
  const { lower, alpha, lines } = scenes.length > 1 ? SEVERAL_RUNS : ONE_RUN;
  const traced = scenes.map((scene) => ({ color: scene.color, bands: bandPoints(scene, frame) }));
  for (const { color, bands } of traced) {
    pen.fillStyle = color;
    pen.globalAlpha = alpha;
    for (const edge of lower) {
      tracePoints(pen, [...bands[edge]!, ...bands[MAXIMUM - edge]!.toReversed()]);
      pen.fill();
    }
  }
  // Above the bands of all runs, so that no run hides another.
  for (const { color, bands } of traced) {
    for (const edge of lines) {
      pen.globalAlpha = edge === MEDIAN ? 1 : 0.45;
      strokePoints(pen, bands[edge]!, color, edge === MEDIAN ? 1.5 : 0.75);
    }
  }
}

/** Returns the points of each percentile. */
function bandPoints({ grid, x }: HistogramScene, frame: Frame): Point[][] {
  const columns = columnPlaces(columnEdges(grid, x), grid.columns, frame);
  return grid.bands.map((band) => columns.map(({ i, px }) => [px, frame.py(band[i]!)]));
}

/** A single step is drawn as a short piece of band, because a point would not be visible. */
function columnPlaces(edges: Float64Array, columns: number, { box, px }: Frame): { i: number; px: number }[] {
  if (columns > 1) return Array.from({ length: columns }, (_, i) => ({ i, px: px(edges[i]!) }));
  const width = widthOf(box);
  const middle = clamp(px(edges[0]!), box.left + width * 0.1, box.left + width * 0.9);
  return [-0.1, 0.1].map((by) => ({ i: 0, px: middle + by * width }));
}
