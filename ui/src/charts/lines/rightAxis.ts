/** Labels of the second y axis, at the right. */
import { Y_LABEL_GAP } from "../axes";
import type { Pen } from "../pen";
import { crisp, drawText, tickFont } from "../shapes";
import type { LineScene } from "./scene";

export function drawRightAxis(pen: Pen, { frame: { right, box }, theme }: LineScene): void {
  const style = { font: tickFont(theme), color: theme.ink3, align: "left" as const };
  right?.yTicks.at.forEach((tick, i) => {
    drawText(pen, right.yTicks.labels[i]!, box.right + Y_LABEL_GAP, crisp(right.py(tick)), style);
  });
}
