/** Trails: where points were at the steps before. */
import type { Point } from "../../charts/shapes";
import { place } from "./camera";
import type { EmbeddingsModel, Side } from "./model.svelte";

/** More trails would hide the points. */
const MAX_TRAILS = 200;

/** Returns the trails of the selected point or points, else of those that moved most. */
export function trailsOf(model: EmbeddingsModel, side: Side): Point[][] {
  const { selected, selection, moved, camera, size } = model;
  const chosen = selected === null ? selection : [selected];
  const rows = (chosen.length ? chosen : (moved?.rows.map(({ row }) => row) ?? [])).slice(0, MAX_TRAILS);
  const steps = model.layoutsBefore(side).map(({ x, y, z }) => {
    const take = (values: Float32Array): Float32Array => Float32Array.from(rows, (row) => values[row] ?? NaN);
    return place({ x: take(x), y: take(y), ...(z && { z: take(z) }) }, camera, size.width, size.height);
  });
  return rows.map((_, i) =>
    steps.map(({ x, y }): Point => [x[i]!, y[i]!]).filter(([x, y]) => !Number.isNaN(x) && !Number.isNaN(y)),
  );
}
