/* Layout of a map as a matrix: the size of a cell, space for labels, and which tokens are labeled. */
import { clamp } from "../../charts/box";
import { CHAR_PX } from "../../charts/shapes";

export interface MatrixLayout {
  /** Place and size of the weights. */
  left: number;
  top: number;
  width: number;
  height: number;
  /** Every so many tokens have a label. */
  rowsPerLabel: number;
  columnsPerLabel: number;
}

const MAX_CELL = 30;
const LABEL_PX = 15;
const MIN_HEIGHT = 120;
export const LABEL_CHARS = 12;
/** Labels of keys are tilted by this angle. */
export const TILT = -0.9;

export function layoutMatrix(
  rows: number,
  columns: number,
  longest: number,
  width: number,
  maxHeight: number,
): MatrixLayout {
  const label = Math.min(longest, LABEL_CHARS) * CHAR_PX;
  const left = clamp(label + 12, 28, width / 3);
  const top = Math.round(label * Math.sin(-TILT)) + 16;
  const right = Math.min(34, label * Math.cos(TILT));
  const across = Math.min(MAX_CELL, (width - left - right) / columns);
  // Cells are square, unless few queries would be thin lines, or many would not fit.
  const down = Math.min(MAX_CELL, Math.max(across, MIN_HEIGHT / rows), (maxHeight - top) / rows);
  return {
    left,
    top,
    width: across * columns,
    height: down * rows,
    rowsPerLabel: Math.max(1, Math.ceil(LABEL_PX / down)),
    columnsPerLabel: Math.max(1, Math.ceil(LABEL_PX / across)),
  };
}

export interface Cell {
  row: number;
  column: number;
}

/** Returns the cell at a place, or null outside. */
export function cellAt(layout: MatrixLayout, rows: number, columns: number, x: number, y: number): Cell | null {
  const column = Math.floor(((x - layout.left) / layout.width) * columns);
  const row = Math.floor(((y - layout.top) / layout.height) * rows);
  return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
}
