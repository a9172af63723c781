/** Which points are at a place or inside a shape on screen. A loop over a million points takes a few milliseconds, so there is no index. */
import type { Point } from "../../charts/shapes";
import type { Placed } from "./camera";

/** Returns the nearest point within a distance in pixels, or null. `isShown` leaves out points. */
export function nearest(
  { x, y }: Placed,
  at: { x: number; y: number },
  reach: number,
  isShown: (row: number) => boolean,
): number | null {
  let [best, found]: [number, number | null] = [reach * reach, null];
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [x[i]! - at.x, y[i]! - at.y];
    const distance = dx * dx + dy * dy;
    if (distance <= best && isShown(i)) [best, found] = [distance, i];
  }
  return found;
}

/** Returns the points inside a closed shape. Where a shape crosses itself, the parts alternate between inside and outside. */
export function rowsInside({ x, y }: Placed, shape: readonly Point[], isShown: (row: number) => boolean): number[] {
  const ys = shape.map(([, y]) => y);
  const top = Math.floor(Math.min(...ys));
  const height = Math.max(0, Math.ceil(Math.max(...ys)) - top);
  // The edges are computed once per line of pixels, because a lasso has many more of them than a line crosses.
  const lines = Array.from({ length: height }, (_, line) => crossings(shape, top + line + 0.5));
  const rows: number[] = [];
  for (let i = 0; i < x.length; i++) {
    const edges = lines[Math.floor(y[i]! - top)];
    if (edges && isOddBelow(edges, x[i]!) && isShown(i)) rows.push(i);
  }
  return rows;
}

/** Returns where the edges of a shape cross a horizontal line. */
function crossings(shape: readonly Point[], y: number): number[] {
  return shape.flatMap(([x1, y1], i) => {
    const [x0, y0] = shape.at(i - 1)!;
    return y0 <= y !== y1 <= y ? [x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)] : [];
  });
}

function isOddBelow(edges: number[], x: number): boolean {
  let isOdd = false;
  for (const edge of edges) if (edge <= x) isOdd = !isOdd;
  return isOdd;
}
