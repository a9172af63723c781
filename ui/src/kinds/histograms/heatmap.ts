/** Heatmap of counts over the steps. */
import { drawAxes } from "../../charts/axes";
import { heightOf, widthOf } from "../../charts/box";
import type { Frame } from "../../charts/frame";
import type { Pen } from "../../charts/pen";
import { paintRaster, rampPixels } from "../../charts/raster";
import type { Theme } from "../../charts/theme";
import { columnEdges, valueAt } from "./histogramGrid";
import { countScale, type HistogramScene } from "./scene";

export function drawHeatmap(pen: Pen, frame: Frame, scene: HistogramScene, theme: Theme, pixelRatio: number): void {
  const { box } = frame;
  drawAxes(pen, frame, theme);
  const width = Math.round(widthOf(box) * pixelRatio);
  const height = Math.round(heightOf(box) * pixelRatio);
  const colors = cellColors(scene, rampPixels(theme.sequential));
  const image = paintRaster(width, height, (pixels) => fillCells(pixels, width, height, frame, scene, colors));
  pen.drawImage(image, box.left, box.top, widthOf(box), heightOf(box));
}

function fillCells(
  pixels: Uint32Array,
  width: number,
  height: number,
  frame: Frame,
  scene: HistogramScene,
  colors: Uint32Array,
): void {
  const [columns, rows] = [columnOfPixels(width, frame, scene), rowOfPixels(height, frame, scene)];
  for (let y = 0; y < height; y++) {
    const row = rows[y]!;
    if (row < 0) continue;
    for (let x = 0; x < width; x++)
      if (columns[x]! >= 0) pixels[y * width + x] = colors[columns[x]! * scene.grid.rows + row]!;
  }
}

/** Returns the grid column of each pixel from left to right, -1 outside the grid. */
function columnOfPixels(width: number, { x }: Frame, { grid, x: axis }: HistogramScene): Int32Array {
  const edges = columnEdges(grid, axis);
  const columns = new Int32Array(width).fill(-1);
  // A column narrower than a pixel still gets one.
  for (let i = 0; i < grid.columns; i++)
    columns.fill(i, Math.floor(x.at(edges[i]!) * width), Math.ceil(x.at(edges[i + 1]!) * width));
  return columns;
}

/** Returns the grid row of each pixel from top to bottom, -1 outside the grid. */
function rowOfPixels(height: number, { y }: Frame, { grid }: HistogramScene): Int32Array {
  const rows = new Int32Array(height).fill(-1);
  const pixelAt = (row: number): number => height * (1 - y.at(valueAt(grid, row)));
  for (let i = 0; i < grid.rows; i++) rows.fill(i, Math.max(0, Math.floor(pixelAt(i + 1))), Math.ceil(pixelAt(i)));
  return rows;
}

/** Returns the color of each cell. Empty cells are transparent. */
function cellColors(scene: HistogramScene, ramp: Uint32Array): Uint32Array {
  const height = countScale(scene);
  return Uint32Array.from(scene.grid.counts, (count) =>
    count > 0 ? ramp[Math.min(ramp.length - 1, Math.floor(height(count) * ramp.length))]! : 0,
  );
}
