/** Cameras: from coordinates of a projection to pixels, in two and three dimensions. A camera does not change; moving it makes another one. */
import { axesOf, type Orbit, type Vector } from "../../charts/orbit";

/** Coordinates of the points of one embedding. `z` is missing in two dimensions. A point without a position is NaN. */
export interface Layout {
  x: Float32Array;
  y: Float32Array;
  z?: Float32Array;
}

/** Its angles only matter in three dimensions. */
export interface Camera extends Orbit {
  /** The point in the middle of the picture. */
  center: readonly [x: number, y: number, z: number];
  /** Pixels per unit. */
  scale: number;
}

/** Positions of points in CSS pixels, and in three dimensions how near they are: -1 far, 1 near. NaN if a point is not drawn. */
export interface Placed {
  x: Float32Array;
  y: Float32Array;
  near?: Float32Array;
}

/** How much nearer points are enlarged. */
const PERSPECTIVE = 0.25;
const START = { yaw: 0.6, pitch: 0.35 };
const FILLED = 0.9;

/** Points that are looked at for the size of the picture. */
const MAX_MEASURED = 50_000;

/** Returns the range of all layouts on an axis, without the outermost 0.1 % on each side, so that a few strays do not shrink the rest. */
export function rangeOf(layouts: Layout[], axis: "x" | "y" | "z"): [lo: number, hi: number] {
  const stride = Math.ceil(layouts.reduce((sum, { x }) => sum + x.length, 0) / MAX_MEASURED);
  const finite: number[] = [];
  for (const layout of layouts) {
    const values = layout[axis] ?? [];
    for (let i = 0; i < values.length; i += stride) if (!Number.isNaN(values[i]!)) finite.push(values[i]!);
  }
  if (finite.length === 0) return [-1, 1];
  const sorted = Float32Array.from(finite).sort();
  const cut = Math.floor(sorted.length / 1000);
  return [sorted[cut]!, sorted[sorted.length - 1 - cut]!];
}

/** Returns the camera that shows all points. */
export function fitCamera(layouts: Layout[], width: number, height: number): Camera {
  const isFlat = !layouts.some(({ z }) => z);
  const ranges = [rangeOf(layouts, "x"), rangeOf(layouts, "y"), isFlat ? ([0, 0] as const) : rangeOf(layouts, "z")];
  const center = ranges.map(([lo, hi]) => (lo + hi) / 2) as [number, number, number];
  const [x, y, z] = ranges.map(([lo, hi]) => hi - lo) as [number, number, number];
  // In three dimensions the picture must also fit when it is turned.
  const across = isFlat ? x : Math.hypot(x, z);
  const down = isFlat ? y : Math.hypot(x, y, z) / 1.2;
  const scale = FILLED * Math.min(width / (across || 1), height / (down || 1));
  return { center, scale, ...START };
}

/** Returns where the points are on screen. `into` is used again if it has the right size. */
export function place(layout: Layout, camera: Camera, width: number, height: number, into?: Placed): Placed {
  const count = layout.x.length;
  const reused = into?.x.length === count && Boolean(into.near) === Boolean(layout.z) ? into : undefined;
  const placed = reused ?? {
    x: new Float32Array(count),
    y: new Float32Array(count),
    near: layout.z && new Float32Array(count),
  };
  if (layout.z) placeIn3d(layout, layout.z, camera, width, height, placed);
  else placeIn2d(layout, camera, width, height, placed);
  return placed;
}

function placeIn2d(
  { x, y }: Layout,
  { center, scale }: Camera,
  width: number,
  height: number,
  { x: left, y: top }: Placed,
): void {
  const [x0, y0] = [width / 2 - center[0] * scale, height / 2 + center[1] * scale];
  for (let i = 0; i < x.length; i++) {
    left[i] = x0 + x[i]! * scale;
    top[i] = y0 - y[i]! * scale;
  }
}

function placeIn3d(
  { x, y }: Layout,
  z: Float32Array,
  camera: Camera,
  width: number,
  height: number,
  placed: Placed,
): void {
  const [right, up, forward] = axesOf(camera);
  const { center, scale } = camera;
  const reach = Math.hypot(width, height) / 2;
  const near = placed.near!;
  for (let i = 0; i < x.length; i++) {
    const [dx, dy, dz] = [x[i]! - center[0], y[i]! - center[1], z[i]! - center[2]];
    const depth = ((forward[0] * dx + forward[1] * dy + forward[2] * dz) * scale) / reach;
    const enlarged = scale * (1 + PERSPECTIVE * Math.max(-1, Math.min(1, depth)));
    placed.x[i] = width / 2 + (right[0] * dx + right[2] * dz) * enlarged;
    placed.y[i] = height / 2 - (up[0] * dx + up[1] * dy + up[2] * dz) * enlarged;
    near[i] = Math.max(-1, Math.min(1, depth));
  }
}

/** Moves the picture by pixels. */
export function pan(camera: Camera, dx: number, dy: number, isFlat: boolean): Camera {
  const [right, up]: Vector[] = isFlat
    ? [
        [1, 0, 0],
        [0, 1, 0],
      ]
    : axesOf(camera);
  const moved = camera.center.map((value, i) => value + (dy * up![i]! - dx * right![i]!) / camera.scale);
  return { ...camera, center: moved as [number, number, number] };
}

/** Zooms in by a factor. The place stays where it is on screen. */
export function zoom(camera: Camera, factor: number, fromCenter: [dx: number, dy: number], isFlat: boolean): Camera {
  const [dx, dy] = fromCenter;
  const towards = pan(camera, -dx, -dy, isFlat);
  return pan({ ...towards, scale: camera.scale * factor }, dx, dy, isFlat);
}
