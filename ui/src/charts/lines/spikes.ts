/** Spikes: values far outside their neighborhood. Smoothing hides them, and the envelopes of many lines are faint.
    They are therefore drawn at full strength. */
import type { Span } from "../box";
import type { Pen } from "../pen";
import { type Point, strokePoints } from "../shapes";
import type { Line } from "./data";
import type { LineScene } from "./scene";
import { select } from "./select";
import { clampPixel } from "./strokes";

interface Spike {
  index: number;
  value: number;
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
  if (!spikes) found.set(line, (spikes = line.lo || line.raw !== line.smooth ? findSpikes(line) : []));
  return spikes;
}

function findSpikes({ lo, hi, raw }: Line): Spike[] {
  const spikes: Spike[] = [];
  const [low, high] = [lo ?? raw, hi ?? raw];
  const points = Uint32Array.from(low.keys()).filter((i) => low[i] === low[i]);
  for (let from = 0; from < points.length; from += BLOCK) {
    const near = points.subarray(Math.max(0, from - BLOCK / 2), from + BLOCK * 1.5);
    const [bottom, top] = [quantile(low, near, 0.1), quantile(high, near, 0.9)];
    const far = (top - bottom) * SPIKE_DISTANCE;
    for (const index of points.subarray(from, from + BLOCK)) {
      if (high[index]! > top + far) spikes.push({ index, value: high[index]! });
      if (low[index]! < bottom - far) spikes.push({ index, value: low[index]! });
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
  const limit = (value: number): number => clampPixel(frame.py(value), frame.height);
  for (const { index, value } of spikesOf(line)) {
    if (index < range[0] || index >= range[1]) continue;
    const x = frame.px(data.x[index]!);
    const [from, to] = [limit(line.smooth[index]!), limit(value)];
    const ends: Point[] = [
      [x, from],
      [x, to],
    ];
    if (Math.abs(from - to) >= MIN_PX) strokePoints(pen, ends, look(line).color, width);
  }
}
