/* Draws a mesh with a projection: points, faces or their edges, and the box around it. */
import type { MeshLight } from "../../api/types";
import type { Mesh, Positions } from "./meshes";
import { paintLine, paintPoint, paintTriangle, type Placed, type Target } from "./raster";
import { shade } from "./shading";
import type { Bounds, Projection } from "./viewpoint";

export interface Style {
  mode: "points" | "faces" | "wireframe";
  /** Diameter of a point, in pixels of the target. */
  pointSize: number;
  /** Pixels for vertices without a color, for what is far, and for the box. */
  color: number;
  background: number;
  boxColor: number;
  box: Bounds | null;
  lights: MeshLight[];
}

/** Pixels that one picture visits at most: a few tenths of a second. */
const MAX_VISITED = 60_000_000;
/** How much of its color the farthest point keeps. */
const FAR_COLOR = 0.5;
const FOG_LEVELS = 32;

/** Buffers that are used again for the next picture of the same size. */
export class Renderer {
  #nearness = new Float32Array(0);
  #placed: Placed = { x: new Float32Array(0), y: new Float32Array(0), near: new Float32Array(0) };
  #light = new Float32Array(0);

  /** Draws on pixels of the size of the projection. Returns false if a part was left out, because it takes too long. */
  draw(pixels: Uint32Array, mesh: Mesh, projection: Projection, style: Style): boolean {
    const { width, height } = projection;
    if (this.#nearness.length !== pixels.length) this.#nearness = new Float32Array(pixels.length);
    const target = { pixels, nearness: this.#nearness, width, height, budget: MAX_VISITED };
    pixels.fill(style.background);
    target.nearness.fill(-Infinity);
    this.#fit(mesh.positions.x.length);
    place(mesh.positions, projection, this.#placed);
    if (style.mode === "points" || !mesh.normals) paintPoints(target, this.#placed, mesh.colors, style);
    else if (style.mode === "faces") this.#paintFaces(target, mesh, mesh.normals, projection, style);
    else paintEdges(target, this.#placed, mesh, style);
    if (style.box) paintBox(target, style.box, projection, style.boxColor);
    return target.budget > 0;
  }

  #fit(count: number): void {
    if (this.#light.length === count) return;
    this.#light = new Float32Array(count);
    this.#placed = { x: new Float32Array(count), y: new Float32Array(count), near: new Float32Array(count) };
  }

  #paintFaces(target: Target, { faces, colors }: Mesh, normals: Positions, projection: Projection, style: Style): void {
    shade(normals, style.lights, projection, this.#light);
    const { near } = this.#placed;
    const painted = colors ?? new Uint32Array(near.length).fill(style.color);
    for (let i = 0; i < faces.a.length && target.budget > 0; i++) {
      const [a, b, c] = [faces.a[i]!, faces.b[i]!, faces.c[i]!];
      if (Number.isNaN(near[a]! + near[b]! + near[c]!)) continue;
      paintTriangle(target, this.#placed, a, b, c, painted, this.#light);
    }
  }
}

/** Writes where vertices are on screen. */
export function place({ x, y, z }: Positions, projection: Projection, into: Placed): void {
  const { right, up, forward, target, width, height, distance, scale, near, far } = projection;
  const [halfWidth, halfHeight] = [width / 2, height / 2];
  for (let i = 0; i < x.length; i++) {
    const [dx, dy, dz] = [x[i]! - target[0], y[i]! - target[1], z[i]! - target[2]];
    const towards = forward[0] * dx + forward[1] * dy + forward[2] * dz;
    const depth = distance === null ? 1 : distance - towards;
    const pixels = scale / depth;
    into.x[i] = halfWidth + (right[0] * dx + right[1] * dy + right[2] * dz) * pixels;
    into.y[i] = halfHeight - (up[0] * dx + up[1] * dy + up[2] * dz) * pixels;
    // One over the depth is linear on screen, the depth itself is not. NaN fails both comparisons.
    const isShown = depth > near && depth < far;
    into.near[i] = !isShown ? NaN : distance === null ? towards : 1 / depth;
  }
}

function paintPoints(
  target: Target,
  { x, y, near }: Placed,
  colors: Uint32Array | null,
  { pointSize, color, background }: Style,
): void {
  const size = Math.max(1, Math.round(pointSize));
  const { low, step } = fogOf(near);
  const plain = fogColors(color, background);
  const { width, height } = target;
  for (let i = 0; i < x.length && target.budget > 0; i++) {
    const at = near[i]!;
    // NaN fails every comparison.
    if (!(x[i]! >= -size && x[i]! < width + size && y[i]! >= -size && y[i]! < height + size && at > -Infinity))
      continue;
    const level = Math.min(FOG_LEVELS - 1, Math.floor((at - low) / step));
    target.budget -= size * size;
    const pixel = colors ? mix(background, colors[i]!, fogShare(level)) : plain[level]!;
    paintPoint(target, x[i]!, y[i]!, at, size, pixel);
  }
}

/** Returns the nearness of the farthest point, and how much nearer each level of fog is. */
function fogOf(near: Float32Array): { low: number; step: number } {
  let [low, high] = [Infinity, -Infinity];
  for (const at of near) {
    if (at < low) low = at;
    if (at > high) high = at;
  }
  return { low, step: (high - low) / FOG_LEVELS || 1 };
}

const fogShare = (level: number): number => FAR_COLOR + ((1 - FAR_COLOR) * (level + 1)) / FOG_LEVELS;

const fogColors = (color: number, background: number): number[] =>
  Array.from({ length: FOG_LEVELS }, (_, level) => mix(background, color, fogShare(level)));

function mix(from: number, to: number, share: number): number {
  const part = Math.round(share * 256);
  const channel = (shift: number): number => {
    const [one, other] = [(from >> shift) & 255, (to >> shift) & 255];
    return (one + (((other - one) * part) >> 8)) << shift;
  };
  return 0xff000000 | channel(16) | channel(8) | channel(0);
}

function paintEdges(target: Target, { x, y, near }: Placed, { faces, colors }: Mesh, { color }: Style): void {
  for (let i = 0; i < faces.a.length && target.budget > 0; i++) {
    const corners = [faces.a[i]!, faces.b[i]!, faces.c[i]!] as const;
    for (let k = 0; k < 3; k++) {
      const [p, q] = [corners[k]!, corners[(k + 1) % 3]!];
      if (Number.isNaN(near[p]! + near[q]!)) continue;
      paintLine(target, x[p]!, y[p]!, near[p]!, x[q]!, y[q]!, near[q]!, colors ? colors[p]! : color);
    }
  }
}

function paintBox(target: Target, { low, high }: Bounds, projection: Projection, color: number): void {
  const corners = Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((axis) => (i & (1 << axis) ? high : low)[axis]!));
  const [x, y, z] = [0, 1, 2].map((axis) => Float32Array.from(corners, (corner) => corner[axis]!));
  const placed = { x: new Float32Array(8), y: new Float32Array(8), near: new Float32Array(8) };
  place({ x: x!, y: y!, z: z! }, projection, placed);
  for (let i = 0; i < 8; i++)
    for (const bit of [1, 2, 4]) {
      const j = i | bit;
      if (i & bit || Number.isNaN(placed.near[i]! + placed.near[j]!)) continue;
      paintLine(
        target,
        placed.x[i]!,
        placed.y[i]!,
        placed.near[i]!,
        placed.x[j]!,
        placed.y[j]!,
        placed.near[j]!,
        color,
      );
    }
}
