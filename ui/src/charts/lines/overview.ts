/** The small picture of a whole series, under a chart that shows a part of it. */
import { drawLines } from "./draw";
import type { Frame } from "../frame";
import { makeScale } from "../scale";
import type { PlotSpec } from "./plot";

const HEIGHT = 32;
const EDGE = 2;

export function drawOverview(canvas: HTMLCanvasElement, spec: PlotSpec, width: number): void {
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(HEIGHT * devicePixelRatio);
  const pen = canvas.getContext("2d")!;
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  const x = makeScale("linear", spec.x[1] > spec.x[0] ? spec.x : [spec.x[0] - 0.5, spec.x[0] + 0.5]);
  const y = makeScale(spec.yKind, spec.y, spec.bend);
  const frame: Frame = {
    width,
    height: HEIGHT,
    box: { left: 0, right: width, top: EDGE, bottom: HEIGHT - EDGE },
    x,
    y,
    xKind: spec.xKind,
    xAxis: { at: [], labels: [] },
    yTicks: [],
    yLabels: [],
    px: (v) => x.at(v) * width,
    py: (v) => HEIGHT - EDGE - y.at(v) * (HEIGHT - 2 * EDGE),
  };
  drawLines(pen, { ...spec, frame }, { plain: true });
}
