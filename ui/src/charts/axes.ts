/** Axes of a frame: grid lines and tick labels. */
import { type Box } from "./box";
import type { Frame } from "./frame";
import type { Pen } from "./pen";
import { crisp, drawText, strokePoints, tickFont } from "./shapes";
import type { Theme } from "./theme";
import { placeXLabel } from "./xLabels";

/** Distances of labels from the box, in pixels. */
export const Y_LABEL_GAP = 8;
const X_LABEL_DROP = 13;

/** Draws horizontal grid lines with values at the left, and the x axis with its labels at the bottom. */
export function drawAxes(pen: Pen, frame: Frame, theme: Theme): void {
  const { box, yTicks } = frame;
  yTicks.at.forEach((tick, i) => {
    const y = crisp(frame.py(tick));
    drawText(pen, yTicks.labels[i]!, box.left - Y_LABEL_GAP, y, {
      font: tickFont(theme),
      color: theme.ink3,
      align: "right",
    });
    // The x axis takes the place of a grid line this close to it.
    if (y < box.bottom - 2) drawHorizontal(pen, box, y, theme.grid);
  });
  drawHorizontal(pen, box, crisp(box.bottom), theme.axis);
  drawXLabels(pen, frame, theme);
}

/** Draws vertical grid lines with their labels at the bottom. */
export function drawXGrid(pen: Pen, frame: Frame, theme: Theme): void {
  const { top, bottom } = frame.box;
  for (const tick of frame.xTicks.at) {
    const x = crisp(frame.px(tick));
    strokePoints(
      pen,
      [
        [x, top],
        [x, bottom],
      ],
      theme.grid,
      1,
    );
  }
  drawXLabels(pen, frame, theme);
}

function drawHorizontal(pen: Pen, { left, right }: Box, y: number, color: string): void {
  strokePoints(
    pen,
    [
      [left, y],
      [right, y],
    ],
    color,
    1,
  );
}

function drawXLabels(pen: Pen, { box, width, px, xTicks }: Frame, theme: Theme): void {
  xTicks.at.forEach((tick, i) => {
    const label = xTicks.labels[i]!;
    const { x, align } = placeXLabel(label, px(tick), box, width);
    drawText(pen, label, x, box.bottom + X_LABEL_DROP, { font: tickFont(theme), color: theme.ink3, align });
  });
}
