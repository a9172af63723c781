/* Drawing of a map as a matrix: queries from top to bottom, keys from left to right. */
import { drawText, tickFont } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import { type Cell, LABEL_CHARS, type MatrixLayout, TILT } from "./matrixLayout";
import { shortToken } from "./tokens";

export interface MatrixScene {
  layout: MatrixLayout;
  image: HTMLCanvasElement;
  rows: readonly string[];
  columns: readonly string[];
  /** The chosen token: a row if it attends, a column if it is attended to. */
  chosen: { row: number } | { column: number } | null;
  cell: Cell | null;
  theme: Theme;
}

export function drawMatrix(pen: CanvasRenderingContext2D, scene: MatrixScene): void {
  const { layout, image, theme } = scene;
  const { left, top, width, height } = layout;
  pen.imageSmoothingEnabled = image.width > width;
  pen.imageSmoothingQuality = "high";
  pen.drawImage(image, left, top, width, height);
  pen.strokeStyle = theme.axis;
  pen.lineWidth = 1;
  pen.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
  drawLabels(pen, scene);
  drawMarks(pen, scene);
}

function drawLabels(pen: CanvasRenderingContext2D, { layout, rows, columns, chosen, cell, theme }: MatrixScene): void {
  const [row, column] = [
    cell?.row ?? (chosen && "row" in chosen ? chosen.row : -1),
    cell?.column ?? (chosen && "column" in chosen ? chosen.column : -1),
  ];
  const style = (isMarked: boolean) => ({
    font: isMarked ? `600 ${tickFont(theme)}` : tickFont(theme),
    color: isMarked ? theme.ink : theme.ink2,
  });
  for (const i of labeled(rows.length, layout.rowsPerLabel, row)) {
    const y = layout.top + ((i + 0.5) * layout.height) / rows.length;
    drawText(pen, shortToken(rows[i]!, LABEL_CHARS), layout.left - 7, y, { ...style(i === row), align: "right" });
  }
  for (const i of labeled(columns.length, layout.columnsPerLabel, column)) {
    pen.save();
    pen.translate(layout.left + ((i + 0.5) * layout.width) / columns.length + 2, layout.top - 7);
    pen.rotate(TILT);
    drawText(pen, shortToken(columns[i]!, LABEL_CHARS), 0, 0, style(i === column));
    pen.restore();
  }
}

/** Returns every so-manieth position. The marked one takes the place of those that it would overlap. */
function labeled(count: number, every: number, marked: number): number[] {
  const regular = Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every);
  return marked < 0 ? regular : [...regular.filter((i) => Math.abs(i - marked) >= every), marked];
}

function drawMarks(pen: CanvasRenderingContext2D, { layout, rows, columns, chosen, cell, theme }: MatrixScene): void {
  const { left, top, width, height } = layout;
  const [dx, dy] = [width / columns.length, height / rows.length];
  if (chosen) {
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 2;
    if ("row" in chosen) pen.strokeRect(left - 2, top + chosen.row * dy - 1, width + 4, Math.max(2, dy) + 2);
    else pen.strokeRect(left + chosen.column * dx - 1, top - 2, Math.max(2, dx) + 2, height + 4);
  }
  if (!cell) return;
  const [x, y] = [left + cell.column * dx, top + cell.row * dy];
  pen.lineWidth = 1;
  pen.strokeStyle = theme.ink;
  pen.strokeRect(x - 1, y - 1, Math.max(3, dx) + 2, Math.max(3, dy) + 2);
  pen.strokeStyle = theme.surface;
  pen.strokeRect(x, y, Math.max(3, dx), Math.max(3, dy));
}
