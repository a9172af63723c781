/* Drawing of a measure over the steps: the chosen head as a line, and the middle half of all heads as a band. */
import { drawAxes } from "../../charts/axes";
import { nonEmpty, type Span } from "../../charts/box";
import { type Frame, makeFrame } from "../../charts/frame";
import type { Pen } from "../../charts/pen";
import { makeScale } from "../../charts/scale";
import { CHAR_PX, drawDot, type Point, strokePoints, tracePoints } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import { niceSpan, valueTicks } from "../../charts/ticks";
import { fitXTicks } from "../../charts/xLabels";
import type { Curves } from "./queries";

export interface Curve {
  steps: number[];
  values: number[];
  color: string;
}

export interface CurveScene {
  frame: Frame;
  curves: Curve[];
  /** Quartiles of all heads by step. */
  band: { steps: number[]; low: number[]; high: number[] };
  /** The step that the tab shows. */
  step: number | null;
  theme: Theme;
}

/** Returns the values of one head. */
export function curveOf(curves: Curves, head: number): number[] {
  return curves.steps.map((_, i) => (head < curves.heads ? curves.values[i * curves.heads + head]! : NaN));
}

/** Returns the lower and the upper quartile of all heads at each step. */
export function quartiles({ steps, heads, values }: Curves): { steps: number[]; low: number[]; high: number[] } {
  const sorted = steps.map((_, i) =>
    values
      .slice(i * heads, (i + 1) * heads)
      .filter((value) => !Number.isNaN(value))
      .sort(),
  );
  const at = (share: number) => sorted.map((of) => (of.length ? of[Math.round(share * (of.length - 1))]! : NaN));
  return { steps, low: at(0.25), high: at(0.75) };
}

export function curveFrame(curves: Curve[], band: CurveScene["band"], width: number, height: number): Frame | null {
  const steps = [...curves.flatMap((curve) => curve.steps), ...band.steps];
  const values = [...curves.flatMap((curve) => curve.values), ...band.low, ...band.high].filter(Number.isFinite);
  if (!steps.length || !values.length || width < 80) return null;
  const across = nonEmpty([Math.min(...steps), Math.max(...steps)]);
  const up = padded([Math.min(...values), Math.max(...values)]);
  const y = makeScale("linear", up);
  const yTicks = valueTicks(y, height / 40);
  const left = Math.max(36, Math.max(...yTicks.labels.map((label) => label.length)) * CHAR_PX + 14);
  const box = { left, top: 8, right: width - 14, bottom: height - 26 };
  const xTicks = fitXTicks("step", across, box, width, 90);
  return makeFrame({ width, height, box, x: makeScale("linear", across), y, xKind: "step", xTicks, yTicks });
}

function padded([lo, hi]: Span): Span {
  if (hi - lo < 1e-9) return nonEmpty([lo, lo]);
  return niceSpan(lo, hi);
}

export function drawCurves(pen: Pen, { frame, curves, band, step, theme }: CurveScene): void {
  drawAxes(pen, frame, theme);
  const points = (steps: number[], values: number[]): Point[] =>
    steps.flatMap((at, i): Point[] => (Number.isFinite(values[i]!) ? [[frame.px(at), frame.py(values[i]!)]] : []));
  pen.globalAlpha = 0.18;
  pen.fillStyle = theme.ink3;
  tracePoints(pen, [...points(band.steps, band.low), ...points(band.steps, band.high).reverse()]);
  pen.fill();
  pen.globalAlpha = 1;
  if (step !== null) {
    const x = Math.round(frame.px(step)) + 0.5;
    strokePoints(
      pen,
      [
        [x, frame.box.top],
        [x, frame.box.bottom],
      ],
      theme.ink2,
      1,
    );
  }
  for (const { steps, values, color } of [...curves].reverse()) {
    const line = points(steps, values);
    strokePoints(pen, line, color, 2);
    if (line.length === 1) drawDot(pen, line[0]![0], line[0]![1], 3, color, theme.surface);
    const at = step === null ? -1 : steps.indexOf(step);
    if (at >= 0 && Number.isFinite(values[at]!))
      drawDot(pen, frame.px(steps[at]!), frame.py(values[at]!), 3.5, color, theme.surface);
  }
}

/** Returns the step nearest to a place. */
export function nearestStep(frame: Frame, steps: number[], x: number): number | null {
  const wanted = frame.xAt(x);
  return steps.reduce<number | null>(
    (best, step) => (best !== null && Math.abs(best - wanted) <= Math.abs(step - wanted) ? best : step),
    null,
  );
}
