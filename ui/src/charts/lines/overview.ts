/** Small chart of a whole series, below a chart that shows a part of it. */
import { nonEmpty, type Span } from "../box";
import { clearCanvas } from "../canvas";
import { type Frame, makeFrame } from "../frame";
import { makeScale } from "../scale";
import { NO_TICKS } from "../ticks";
import { drawLines } from "./drawLines";
import type { PlotSpec } from "./plot";

const HEIGHT = 32;
const EDGE = 2;

export function drawOverview(canvas: HTMLCanvasElement, spec: PlotSpec, width: number): void {
  const frameOf = (y: Span): Frame =>
    makeFrame({
      width,
      height: HEIGHT,
      box: { left: 0, top: EDGE, right: width, bottom: HEIGHT - EDGE },
      x: makeScale("linear", nonEmpty(spec.x)),
      y: makeScale(spec.yKind, y, spec.bend),
      xKind: spec.xKind,
      xTicks: NO_TICKS,
      yTicks: NO_TICKS,
    });
  const frame = { ...frameOf(spec.y), right: spec.right && frameOf(spec.right.y) };
  drawLines(clearCanvas(canvas, width, HEIGHT), { ...spec, frame }, { plain: true });
}
