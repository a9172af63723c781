/* Complete series, point by point. */
import { postFrames } from "../../api/frames";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type { Baseline, PointsHead, Smoothing } from "../../api/types";

export interface Point {
  step: number;
  wall: number;
  value: number;
  smoothed: number;
}

/** A tag of a run, or a formula with the tags that it reads. */
interface PointsQuery {
  run: string;
  tag?: string;
  formula?: string;
  reads?: string[];
  baseline?: Baseline;
  smoothing: Smoothing;
}

export const points = new Resource<PointsQuery, Point[]>({
  maxBatch: 1,
  maxCached: 4,
  affects: (event, { run, tag, reads, baseline }) =>
    [tag ?? [], reads ?? []]
      .flat()
      .some((one) => [run, baseline?.run ?? run].some((each) => hasGrown(event, "scalars", each, one))),
  async fetch([first], { signal }) {
    const { reads: _, ...query } = first!;
    const { head, tables } = await postFrames<PointsHead>("scalars/points", { ...query, format: "frames" }, signal);
    const { step, wall, value, smoothed } = tables[0] as Record<keyof Point, Float64Array>;
    const data = Array.from(step, (_, i) => ({
      step: step[i]!,
      wall: wall[i]!,
      value: value[i]!,
      smoothed: smoothed[i]!,
    }));
    return { cursor: head.cursor, data: [data] };
  },
});
