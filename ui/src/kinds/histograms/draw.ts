/* The four ways to draw a picture, what is marked upon it, and what is under a point of it. */
import { drawBands, drawHeat, markColumn } from "./flat";
import { columnEdges, isFlat, rowAt } from "./picture";
import { drawOverlay, drawRidges, markOverlay, markRidge, ridgeBase } from "./ridges";
import { plotBox, type Scene, type Sheet } from "./sheet";

export interface Spot {
  column: number;
  row: number;
}

const DRAWN = { ridge: drawRidges, overlay: drawOverlay, heat: drawHeat, bands: drawBands };

export function draw(sheet: Sheet, scene: Scene): void {
  DRAWN[scene.shape](sheet, scene);
}

/** The step that is looked at: under the pointer (then with the row), pointed at elsewhere, or pinned. */
export function mark(sheet: Sheet, scene: Scene, column: number, row: number | null, colour: string): void {
  if (scene.shape === "ridge") markRidge(sheet, scene, column, colour);
  else if (scene.shape === "overlay") markOverlay(sheet, scene, column, colour);
  else markColumn(sheet, scene, column, row, colour);
}

export function hit(scene: Scene, width: number, height: number, px: number, py: number): Spot | null {
  const { picture, shape, range } = scene;
  const box = plotBox(width, height, shape);
  if (px < box.left || px > box.left + box.width || py < box.top || py > box.top + box.height || !picture.columns) return null;
  const share = isFlat(shape) ? 1 - (py - box.top) / box.height : (px - box.left) / box.width;
  const row = rowAt(picture, range[0] + share * (range[1] - range[0]));
  if (isFlat(shape)) return { column: columnUnder(scene, (px - box.left) / box.width), row };
  if (shape === "overlay") return { column: picture.columns - 1, row };
  let nearest = 0;
  const away = (column: number): number => Math.abs(ridgeBase(scene, box, column) - py);
  for (let i = 1; i < picture.columns; i++) if (away(i) < away(nearest)) nearest = i;
  return { column: nearest, row };
}

function columnUnder({ picture, x }: Scene, share: number): number {
  const edges = columnEdges(picture, x);
  const at = edges[0]! + share * (edges[edges.length - 1]! - edges[0]!);
  let column = 0;
  while (column + 1 < picture.columns && edges[column + 1]! <= at) column++;
  return column;
}
