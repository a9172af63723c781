/* The four ways to draw a grid, and what is under a point of it. */
import { drawBands } from "./bands";
import { drawHeatmap } from "./heatmap";
import { columnEdges, isFlat, rowAt } from "./histogramGrid";
import { drawOverlay, drawRidges, ridgeBases } from "./ridges";
import { plotBox, type Scene, type PlotArea } from "./plotArea";

export interface Spot {
  column: number;
  row: number;
}

/** Several scenes are bands of several runs; all others stand alone. */
export function draw(area: PlotArea, scenes: Scene[]): void {
  const scene = scenes[0]!;
  if (scene.shape === "ridge") drawRidges(area, scene);
  else if (scene.shape === "overlay") drawOverlay(area, scene);
  else if (scene.shape === "heat") drawHeatmap(area, scene);
  else drawBands(area, scenes);
}

export function hit(scene: Scene, width: number, height: number, px: number, py: number): Spot | null {
  const { grid, shape, range } = scene;
  const box = plotBox(width, height, shape);
  if (px < box.left || px > box.left + box.width || py < box.top || py > box.top + box.height || !grid.columns)
    return null;
  const share = isFlat(shape) ? 1 - (py - box.top) / box.height : (px - box.left) / box.width;
  const row = rowAt(grid, range[0] + share * (range[1] - range[0]));
  if (isFlat(shape)) return { column: columnUnder(scene, (px - box.left) / box.width), row };
  if (shape === "overlay") return { column: grid.columns - 1, row };
  const away = ridgeBases(scene, box).map((base) => Math.abs(base - py));
  return { column: away.indexOf(Math.min(...away)), row };
}

function columnUnder({ grid, x, span: [lo, hi] }: Scene, share: number): number {
  const edges = columnEdges(grid, x);
  const at = lo + share * (hi - lo);
  let column = 0;
  while (column + 1 < grid.columns && edges[column + 1]! <= at) column++;
  return column;
}
