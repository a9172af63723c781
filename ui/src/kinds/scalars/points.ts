/* Complete series, point by point. */
import { postFrames } from "../../api/frames";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type { PointsHead, Smoothing } from "../../api/types";

export interface Point {
  step: number;
  wall: number;
  value: number;
  smoothed: number;
}

export const points = new Resource<{ run: string; tag: string; smoothing: Smoothing }, Point[]>({
  maxBatch: 1,
  maxCached: 4,
  affects: (event, { run, tag }) => hasGrown(event, "scalars", run, tag),
  async fetch([query], { signal }) {
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
