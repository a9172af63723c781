/** Labels within a chart. Not in shapes.ts, because the first load does not need them. */
import type { Pen } from "./pen";
import { CHAR_PX, drawText, tickFont } from "./shapes";
import type { Theme } from "./theme";

/** Writes a label on a translucent background, so that it is readable above dense lines. */
export function drawLabel(pen: Pen, text: string, x: number, y: number, theme: Theme): void {
  pen.globalAlpha = 0.75;
  pen.fillStyle = theme.surface;
  pen.fillRect(x - 3, y - 7, text.length * CHAR_PX + 6, 14);
  pen.globalAlpha = 1;
  drawText(pen, text, x, y, { font: tickFont(theme), color: theme.ink2 });
}
