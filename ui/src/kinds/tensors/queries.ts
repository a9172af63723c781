/* Slices, statistics and histories of tensors. */
import { postJson } from "../../api/client";
import { postFrames } from "../../api/frames";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type { TensorHistoryHead, TensorSliceHead, TensorStatistics } from "../../api/types";
import type { Index } from "./grid";
import type { Measure, Window } from "./settings";

export interface PointQuery {
  run: string;
  tag: string;
  step: number;
  /** Null for the whole tensor, which only statistics have. */
  index: Index | null;
}

export interface SliceQuery extends PointQuery {
  window: Window | null;
  rows: number;
  columns: number;
}

export interface TensorSlice extends TensorSliceHead {
  values: Float64Array;
}

export type History = Record<Measure | "step", Float64Array>;
export type HistoryQuery = Omit<PointQuery, "step">;

export const slices = new Resource<SliceQuery, TensorSlice>({
  maxBatch: 1,
  maxCached: 30,
  async fetch([query], { signal }) {
    const { head, tables } = await postFrames<TensorSliceHead>("tensors/slice", query, signal);
    return { cursor: head.cursor, data: [{ ...head, values: tables[0]!.value as Float64Array }] };
  },
});

export const statistics = new Resource<PointQuery, TensorStatistics>({
  maxBatch: 1,
  maxCached: 100,
  async fetch([query], { signal }) {
    const found = await postJson<TensorStatistics>("tensors/statistics", query, signal);
    return { cursor: found.cursor, data: [found] };
  },
});

export const histories = new Resource<HistoryQuery, History>({
  maxBatch: 1,
  maxCached: 30,
  affects: (event, { run, tag }) => hasGrown(event, "tensors", run, tag),
  async fetch([query], { signal }) {
    const { head, tables } = await postFrames<TensorHistoryHead>("tensors/history", query, signal);
    return { cursor: head.cursor, data: [tables[0] as History] };
  },
});
