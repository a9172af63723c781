/** Histograms in one of four shapes, and the grid cell under a pixel. */
import { isInside } from "../../charts/box";
import type { Pen } from "../../charts/pen";
import type { Theme } from "../../charts/theme";
import { drawBands } from "./bands";
import { drawHeatmap } from "./heatmap";
import { columnEdges, isFlat, rowAt } from "./histogramGrid";
import { drawOverlay, drawRidges, ridgeBases } from "./ridges";
import { type HistogramScene, makeHistogramFrame } from "./scene";

export interface Cell {
  column: number;
  row: number;
}

interface Target {
  width: number;
  height: number;
  /** Pixels of the image per CSS pixel. */
  pixelRatio: number;
  theme: Theme;
}

/** Several scenes are the bands of several runs. The other shapes draw one scene. */
export function drawHistograms(pen: Pen, scenes: HistogramScene[], { width, height, pixelRatio, theme }: Target): void {
  const scene = scenes[0]!;
  const frame = makeHistogramFrame(scene, width, height);
  if (scene.shape === "ridge") drawRidges(pen, frame, scene, theme);
  else if (scene.shape === "overlay") drawOverlay(pen, frame, scene, theme);
  else if (scene.shape === "heat") drawHeatmap(pen, frame, scene, theme, pixelRatio);
  else drawBands(pen, frame, scenes, theme);
}

/** Returns the grid cell at a pixel, or null outside the plot. */
export function cellAt(scene: HistogramScene, width: number, height: number, px: number, py: number): Cell | null {
  const { grid, shape } = scene;
  const frame = makeHistogramFrame(scene, width, height);
  if (!isInside(frame.box, px, py) || !grid.columns) return null;
  if (isFlat(shape)) return { column: columnUnder(scene, frame.xAt(px)), row: rowAt(grid, frame.yAt(py)) };
  const row = rowAt(grid, frame.xAt(px));
  if (shape === "overlay") return { column: grid.columns - 1, row };
  const distances = ridgeBases(scene, frame).map((base) => Math.abs(base - py));
  return { column: distances.indexOf(Math.min(...distances)), row };
}

function columnUnder({ grid, x }: HistogramScene, at: number): number {
  const edges = columnEdges(grid, x);
  let column = 0;
  while (column + 1 < grid.columns && edges[column + 1]! <= at) column++;
  return column;
}
