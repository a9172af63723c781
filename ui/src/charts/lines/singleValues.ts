/** Values of a chart whose lines have one point each, printed beside the dots. */
import { number } from "../../base/format";
import { drawLabel } from "../drawLabel";
import type { Pen } from "../pen";
import { CHAR_PX } from "../shapes";
import { digitsOn } from "../valueDigits";
import { type LineScene, sceneOf } from "./scene";

/** Pixels from a dot to its value, and from one value to the next. */
const GAP = 8;
const ROW_PX = 15;

export function drawSingleValues(pen: Pen, scene: LineScene): void {
  const { data, frame, theme } = scene;
  if (data.density || data.lines.some((line) => line.points > 1)) return;
  const dots = data.lines
    .map((line) => ({ raw: line.raw, own: sceneOf(scene, line).frame, i: line.raw.findIndex((v) => v === v) }))
    .filter(({ i }) => i >= 0)
    .map(({ raw, own, i }) => ({
      x: frame.px(data.x[i]!),
      y: own.py(raw[i]!),
      text: number(raw[i]!, digitsOn(own.y, raw[i]!)),
    }))
    .sort((a, b) => a.y - b.y);
  let free = -Infinity;
  for (const { x, y, text } of dots) {
    if (y < free) continue;
    free = y + ROW_PX;
    const width = text.length * CHAR_PX;
    drawLabel(pen, text, x + GAP + width > frame.width ? x - GAP - width : x + GAP, y, theme);
  }
}
