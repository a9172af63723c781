/** Drawing of the heatmap of a slice, with the positions of rows and columns. */
import type { Box } from "../../charts/box";
import type { Pen } from "../../charts/pen";
import { paintRaster, pixelOf, rampPixels } from "../../charts/raster";
import { drawText, tickFont } from "../../charts/shapes";
import type { Ramp, Theme } from "../../charts/theme";
import { linearTicks } from "../../charts/ticks";
import { type ColorScale, type Grid, type Range, rampPosition } from "./grid";

const [LEFT, TOP, RIGHT, BOTTOM] = [48, 26, 16, 8];
/** Cells of a small tensor do not become larger. */
const MAX_CELL_PX = 72;
const TICK_PX = 60;

/** Returns the place of the grid: square cells if they are large enough to be seen, else stretched ones. */
export function heatmapBox({ rows, columns }: Grid, width: number, height: number): Box {
  const [across, down] = [Math.max(1, width - LEFT - RIGHT), Math.max(1, height - TOP - BOTTOM)];
  const square = Math.min(across / Math.max(1, columns), down / Math.max(1, rows), MAX_CELL_PX);
  const cell =
    square >= 2 ? [square, square] : [Math.min(MAX_CELL_PX, across / columns), Math.min(MAX_CELL_PX, down / rows)];
  const [w, h] = [columns * cell[0]!, rows * cell[1]!];
  const left = LEFT + (across - w) / 2;
  return { left, top: TOP, right: left + w, bottom: TOP + h };
}

/** Paints one pixel per cell. What is not finite has a color of its own. */
export function paintGrid(
  { values, rows, columns }: Grid,
  range: Range,
  scale: ColorScale,
  ramp: Ramp,
  nonFinite: string,
): HTMLCanvasElement {
  const [colors, other] = [rampPixels(ramp), pixelOf(nonFinite)];
  return paintRaster(Math.max(1, columns), Math.max(1, rows), (pixels) => {
    for (let i = 0; i < values.length; i++) {
      const at = rampPosition(values[i]!, range, scale);
      pixels[i] = Number.isFinite(values[i]!) ? colors[Math.round(at * (colors.length - 1))]! : other;
    }
  });
}

export function drawHeatmap(
  pen: Pen,
  grid: Grid,
  box: Box,
  raster: HTMLCanvasElement | null,
  theme: Theme,
  under: { row: number; column: number } | null,
  band: { from: { x: number; y: number }; to: { x: number; y: number } } | null,
): void {
  const [w, h] = [box.right - box.left, box.bottom - box.top];
  if ("imageSmoothingEnabled" in pen) (pen as CanvasRenderingContext2D).imageSmoothingEnabled = false;
  if (raster) pen.drawImage(raster, box.left, box.top, w, h);
  drawPositions(pen, grid, box, theme);
  if (under) {
    const [cw, ch] = [w / grid.columns, h / grid.rows];
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.rect(box.left + under.column * cw, box.top + under.row * ch, cw, ch);
    pen.stroke();
  }
  if (!band) return;
  pen.fillStyle = theme.accent;
  pen.globalAlpha = 0.2;
  pen.fillRect(band.from.x, band.from.y, band.to.x - band.from.x, band.to.y - band.from.y);
  pen.globalAlpha = 1;
}

function drawPositions(pen: Pen, { top, left, height, width }: Grid, box: Box, theme: Theme): void {
  const style = { font: tickFont(theme), color: theme.ink3 };
  const at = (position: number, first: number, size: number, from: number, to: number): number =>
    from + ((position + 0.5 - first) / size) * (to - from);
  const ticks = (first: number, size: number, pixels: number): number[] =>
    size > 0 ? linearTicks(first, first + size - 1, Math.max(1, pixels / TICK_PX), 1).at : [];
  for (const row of ticks(top, height, box.bottom - box.top)) {
    drawText(pen, String(row), box.left - 8, at(row, top, height, box.top, box.bottom), { ...style, align: "right" });
  }
  for (const column of ticks(left, width, box.right - box.left)) {
    drawText(pen, String(column), at(column, left, width, box.left, box.right), box.top - 10, {
      ...style,
      align: "center",
    });
  }
}
