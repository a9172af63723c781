/** Line chart. Layers from back to front: axes, density, envelopes, raw lines, lines, spikes, ends of running runs, marks, printed values. */
import { drawAxes } from "../axes";
import type { Pen } from "../pen";
import { drawDot, fillCircle } from "../shapes";
import { drawLines } from "./drawLines";
import { details } from "./lazyDetails";
import { clipToBox, isVisibleX, isVisibleY, type LineScene, sceneOf } from "./scene";

export function drawChart(pen: Pen, scene: LineScene): void {
  const { frame, data, theme } = scene;
  drawAxes(pen, frame, theme);
  pen.save();
  clipToBox(pen, frame);
  if (data.density) details()?.drawDensity(pen, data.density, frame, theme);
  drawLines(pen, scene, { plain: scene.moving });
  pen.restore();
  drawEnds(pen, scene);
  details()?.drawChanges(pen, scene);
  details()?.drawMarks(pen, scene);
  details()?.drawBest(pen, scene);
  details()?.drawRightAxis(pen, scene);
  details()?.drawSingleValues(pen, scene);
}

/** Draws a dot at the end of each line whose run is still being written. */
function drawEnds(pen: Pen, scene: LineScene): void {
  const { data, look, theme } = scene;
  for (const line of data.lines) {
    const { live, color } = look(line);
    const { frame } = sceneOf(scene, line);
    if (!live || line.attempt) continue;
    const last = line.smooth.findLastIndex((value) => !Number.isNaN(value));
    if (last < 0 || !isVisibleX(frame, data.x[last]!)) continue;
    const [x, y] = [frame.px(data.x[last]!), frame.py(line.smooth[last]!)];
    if (!isVisibleY(frame, y)) continue;
    pen.globalAlpha = 0.2;
    fillCircle(pen, x, y, 6, color);
    pen.globalAlpha = 1;
    drawDot(pen, x, y, 3, color, theme.surface);
  }
}
