/* Paints points, lines and triangles pixel by pixel, the nearest on top. Without a GPU this is faster than WebGL in software. */

/** A picture with the nearness of each pixel: larger is nearer, and linear on screen. */
export interface Target {
  pixels: Uint32Array;
  nearness: Float32Array;
  width: number;
  height: number;
  /** Pixels that may still be visited. Meshes of faces that all cover the screen would otherwise take minutes. */
  budget: number;
}

/** Vertices on screen, in pixels of the target. The nearness of a vertex that is not drawn is NaN. */
export interface Placed {
  x: Float32Array;
  y: Float32Array;
  near: Float32Array;
}

export function paintPoint(
  { pixels, nearness, width, height }: Target,
  x: number,
  y: number,
  near: number,
  size: number,
  color: number,
): void {
  const [left, top] = [Math.round(x - size / 2), Math.round(y - size / 2)];
  const [x0, x1] = [left < 0 ? 0 : left, left + size > width ? width : left + size];
  const [y0, y1] = [top < 0 ? 0 : top, top + size > height ? height : top + size];
  // Large points are round.
  const reach = size > 3 ? (size * size) / 4 : Infinity;
  const [cx, cy] = [left + size / 2 - 0.5, top + size / 2 - 0.5];
  for (let j = y0; j < y1; j++)
    for (let i = x0; i < x1; i++) {
      const at = j * width + i;
      if (nearness[at]! >= near || (i - cx) * (i - cx) + (j - cy) * (j - cy) > reach) continue;
      nearness[at] = near;
      pixels[at] = color;
    }
}

/** Paints a line one pixel wide. Its ends may be far outside of the picture. */
export function paintLine(
  target: Target,
  x0: number,
  y0: number,
  near0: number,
  x1: number,
  y1: number,
  near1: number,
  color: number,
): void {
  const { pixels, nearness, width, height } = target;
  const [from, to] = visiblePart(x0, y0, x1, y1, width, height);
  if (from > to) return;
  const steps = Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)) * (to - from)) || 1;
  target.budget -= steps;
  for (let k = 0; k <= steps; k++) {
    const t = from + ((to - from) * k) / steps;
    const [i, j] = [Math.round(x0 + t * (x1 - x0)), Math.round(y0 + t * (y1 - y0))];
    if (i < 0 || j < 0 || i >= width || j >= height) continue;
    const near = near0 + t * (near1 - near0);
    const at = j * width + i;
    if (nearness[at]! > near) continue;
    nearness[at] = near;
    pixels[at] = color;
  }
}

/** Returns which part of a line is inside of the picture, from 0 to 1. The part is empty if the first number is larger. */
function visiblePart(x0: number, y0: number, x1: number, y1: number, width: number, height: number): [number, number] {
  let [from, to] = [0, 1];
  for (const [start, length, size] of [
    [x0, x1 - x0, width],
    [y0, y1 - y0, height],
  ] as const) {
    if (length === 0) {
      if (start < 0 || start > size) return [1, 0];
      continue;
    }
    const ends = [-start / length, (size - start) / length];
    from = Math.max(from, Math.min(...ends));
    to = Math.min(to, Math.max(...ends));
  }
  return [from, to];
}

/** Paints a triangle of three placed vertices. `colors` are their pixels, and `light` how bright they are. */
export function paintTriangle(
  target: Target,
  { x, y, near }: Placed,
  a: number,
  b: number,
  c: number,
  colors: Uint32Array,
  light: Float32Array,
): void {
  const { pixels, nearness, width, height } = target;
  const [ax, ay] = [x[a]!, y[a]!];
  const area = (x[b]! - ax) * (y[c]! - ay) - (y[b]! - ay) * (x[c]! - ax);
  if (!area) return;
  if (area < 0) [b, c] = [c, b];
  const [bx, by, cx, cy] = [x[b]!, y[b]!, x[c]!, y[c]!];
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5));
  const right = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5));
  const bottom = Math.min(height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
  if (left > right || top > bottom) return;
  target.budget -= (right - left + 1) * (bottom - top + 1);
  const over = 1 / Math.abs(area);
  // Weights of the corners a and b, which change by a constant from pixel to pixel. That of c is the rest.
  const [waX, waY] = [(by - cy) * over, (cx - bx) * over];
  const [wbX, wbY] = [(cy - ay) * over, (ax - cx) * over];
  const [ca, cb, cc] = [colors[a]!, colors[b]!, colors[c]!];
  const [la, lb, lc] = [light[a]!, light[b]!, light[c]!];
  const [ra, rb, rc] = [(ca & 255) * la, (cb & 255) * lb, (cc & 255) * lc];
  const [ga, gb, gc] = [((ca >> 8) & 255) * la, ((cb >> 8) & 255) * lb, ((cc >> 8) & 255) * lc];
  const [ba, bb, bc] = [((ca >> 16) & 255) * la, ((cb >> 16) & 255) * lb, ((cc >> 16) & 255) * lc];
  const [na, nb, nc] = [near[a]!, near[b]!, near[c]!];
  for (let j = top; j <= bottom; j++) {
    const [px, py] = [left + 0.5, j + 0.5];
    let wa = (px - cx) * waX + (py - cy) * waY;
    let wb = (px - cx) * wbX + (py - cy) * wbY;
    for (let i = left, at = j * width + left; i <= right; i++, at++, wa += waX, wb += wbX) {
      const wc = 1 - wa - wb;
      if (wa < 0 || wb < 0 || wc < 0) continue;
      const depth = wa * na + wb * nb + wc * nc;
      if (nearness[at]! >= depth) continue;
      nearness[at] = depth;
      pixels[at] =
        0xff000000 |
        ((wa * ba + wb * bb + wc * bc) << 16) |
        ((wa * ga + wb * gb + wc * gc) << 8) |
        (wa * ra + wb * rb + wc * rc);
    }
  }
}
