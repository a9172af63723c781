/** Spikes: values far outside their neighborhood. Smoothing hides them, and the envelopes of many lines are faint.
    They are therefore drawn at full strength. */
import type { Span } from "../box";
import type { Frame } from "../frame";
import type { Pen } from "../pen";
import { type Point, strokePoints } from "../shapes";
import type { Line } from "./data";
import type { LineScene } from "./scene";
import { select } from "./select";
import { clampPixel } from "./strokes";

export interface Spike {
  index: number;
  value: number;
  /** Bound of its neighborhood on the side of the spike. */
  bound: number;
}

/** Points that are compared with the same neighborhood, which is twice as long. */
const BLOCK = 32;
/** Distance of a spike from the middle 80 % of its neighborhood, as a multiple of their range. */
const SPIKE_DISTANCE = 2;
/** Shorter ones are hidden by the line itself. */
const MIN_PX = 3;

const found = new WeakMap<Line, Spike[]>();

/** Returns the spikes that the line through the smoothed values leaves out. */
export function spikesOf(line: Line): Spike[] {
  let spikes = found.get(line);
  if (!spikes) found.set(line, (spikes = line.lo || line.raw !== line.smooth ? spikesIn(line) : []));
  return spikes;
}

const spikesIn = ({ lo, hi, raw }: Line): Spike[] => findSpikes(lo ?? raw, hi ?? raw);

/** Returns the spikes among the minima and maxima of cells, which are NaN where there is no point. */
export function findSpikes(low: Float32Array, high: Float32Array): Spike[] {
  const spikes: Spike[] = [];
  const points = Uint32Array.from(low.keys()).filter((i) => low[i] === low[i]);
  for (let from = 0; from < points.length; from += BLOCK) {
    const near = points.subarray(Math.max(0, from - BLOCK / 2), from + BLOCK * 1.5);
    const [bottom, top] = [quantile(low, near, 0.1), quantile(high, near, 0.9)];
    const far = (top - bottom) * SPIKE_DISTANCE;
    for (const index of points.subarray(from, from + BLOCK)) {
      if (high[index]! > top + far) spikes.push({ index, value: high[index]!, bound: top });
      if (low[index]! < bottom - far) spikes.push({ index, value: low[index]!, bound: bottom });
    }
  }
  return spikes;
}

function quantile(column: Float32Array, points: Uint32Array, share: number): number {
  const values = new Float64Array(points.length);
  for (let i = 0; i < points.length; i++) values[i] = column[points[i]!]!;
  return select(values, Math.round((points.length - 1) * share));
}

/** Strokes each spike from the line to its value. */
export function strokeSpikes(pen: Pen, { data, frame, look }: LineScene, line: Line, range: Span, width: number): void {
  const { color } = look(line);
  for (const { index, value } of spikesOf(line)) {
    if (index < range[0] || index >= range[1]) continue;
    strokeSpike(pen, frame, { x: data.x[index]!, from: line.smooth[index]!, to: value }, { color, width });
  }
}

/** Strokes one spike, unless the line itself hides it. */
export function strokeSpike(
  pen: Pen,
  { px, py, height }: Frame,
  { x, from, to }: { x: number; from: number; to: number },
  { color, width }: { color: string; width: number },
): void {
  const ends = [from, to].map((value): Point => [px(x), clampPixel(py(value), height)]);
  if (Math.abs(ends[0]![1] - ends[1]![1]) >= MIN_PX) strokePoints(pen, ends, color, width);
}
