/** Spikes: values far outside their neighborhood. Smoothing hides them, and the envelopes of many lines are faint.
    They are therefore drawn at full strength. */
import type { Span } from "../box";
import type { Pen } from "../pen";
import { type Point, strokePoints } from "../shapes";
import type { Line } from "./data";
import type { LineScene } from "./scene";
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
  const indexes: number[] = [];
  low.forEach((value, i) => value === value && indexes.push(i));
  for (let from = 0; from < indexes.length; from += BLOCK) {
    const near = indexes.slice(Math.max(0, from - BLOCK / 2), from + BLOCK * 1.5);
    const [bottom, top] = [quantile(low, near, 0.1), quantile(high, near, 0.9)];
    const far = (top - bottom) * SPIKE_DISTANCE;
    for (const index of indexes.slice(from, from + BLOCK)) {
      if (high[index]! > top + far) spikes.push({ index, value: high[index]! });
      if (low[index]! < bottom - far) spikes.push({ index, value: low[index]! });
    }
  }
  return spikes;
}

function quantile(column: Float32Array, indexes: number[], share: number): number {
  return Float32Array.from(indexes, (i) => column[i]!).sort()[Math.round((indexes.length - 1) * share)]!;
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
