/* Where a mesh is looked at from, and the projection that follows. A viewpoint is relative to the size of the mesh, so that runs can share it. */
import type { MeshScene } from "../../api/types";
import { axesOf, type Orbit, type Vector } from "../../charts/orbit";

export interface Viewpoint extends Orbit {
  /** 1 shows the whole mesh. */
  zoom: number;
  /** From the middle of the mesh to the point in the middle of the picture, in radii of the mesh. */
  pan: Vector;
}

/** A sphere around a mesh, and the box that it fills. */
export interface Bounds {
  center: Vector;
  radius: number;
  low: Vector;
  high: Vector;
}

/** Maps a point to pixels: its distance to the right, up and towards the viewer from `target`, in units of the mesh. */
export interface Projection {
  right: Vector;
  up: Vector;
  forward: Vector;
  target: Vector;
  width: number;
  height: number;
  /** Distance of the camera, or null if all rays are parallel. */
  distance: number | null;
  /** Pixels per unit: at the target, or with a distance, at distance 1. */
  scale: number;
  near: number;
  far: number;
}

export const START: Viewpoint = { yaw: 0.56, pitch: 0.42, zoom: 1, pan: [0, 0, 0] };

const DEFAULT_FOV = 45;
const MARGIN = 1.05;
const [MIN_ZOOM, MAX_ZOOM] = [0.01, 1e4];

/** Returns the bounds of all finite points, or null if there are none. */
export function boundsOf({ x, y, z }: { x: Float32Array; y: Float32Array; z: Float32Array }): Bounds | null {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < x.length; i++) {
    const [a, b, c] = [x[i]!, y[i]!, z[i]!];
    if (!Number.isFinite(a + b + c)) continue;
    if (a < low[0]) low[0] = a;
    if (b < low[1]) low[1] = b;
    if (c < low[2]) low[2] = c;
    if (a > high[0]) high[0] = a;
    if (b > high[1]) high[1] = b;
    if (c > high[2]) high[2] = c;
  }
  return low[0] <= high[0] ? around(low, high) : null;
}

export function union(all: Bounds[]): Bounds | null {
  if (!all.length) return null;
  const ends = (pick: (...values: number[]) => number, of: (bounds: Bounds) => Vector): Vector =>
    ([0, 1, 2] as const).map((i) => pick(...all.map((bounds) => of(bounds)[i]))) as unknown as Vector;
  return around(
    ends(Math.min, ({ low }) => low),
    ends(Math.max, ({ high }) => high),
  );
}

function around(low: Vector, high: Vector): Bounds {
  const center = low.map((value, i) => (value + high[i]!) / 2) as unknown as Vector;
  // A single point has no size.
  const radius = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 2 || 1;
  return { center, radius, low, high };
}

export function projectionOf(
  viewpoint: Viewpoint,
  { center, radius }: Bounds,
  scene: Pick<MeshScene, "orthographic" | "fov" | "near" | "far">,
  width: number,
  height: number,
): Projection {
  const [right, up, forward] = axesOf(viewpoint);
  const target = center.map((value, i) => value + viewpoint.pan[i]! * radius) as unknown as Vector;
  const base = { right, up, forward, target, width, height };
  const smaller = Math.min(width, height);
  if (scene.orthographic)
    return {
      ...base,
      distance: null,
      scale: (smaller / 2 / (radius * MARGIN)) * viewpoint.zoom,
      near: -Infinity,
      far: Infinity,
    };
  const half = ((scene.fov ?? DEFAULT_FOV) * Math.PI) / 360;
  const halfOfSmaller = Math.atan(Math.tan(half) * Math.min(1, width / height));
  const whole = (radius * MARGIN) / Math.sin(halfOfSmaller);
  const distance = whole / viewpoint.zoom;
  const scale = height / 2 / Math.tan(half);
  return { ...base, distance, scale, ...planes(scene, whole, radius) };
}

/** Returns the distances between which points are drawn. Logged ones that hide the whole mesh are not used. */
function planes(
  { near, far }: Pick<MeshScene, "near" | "far">,
  whole: number,
  radius: number,
): { near: number; far: number } {
  const hidesAll = (near ?? 0) >= whole + radius || (far ?? Infinity) <= whole - radius;
  const smallest = radius * 1e-4;
  return hidesAll ? { near: smallest, far: Infinity } : { near: Math.max(near ?? 0, smallest), far: far ?? Infinity };
}

/** Returns the viewpoint after what is shown has moved by pixels. */
export function panBy(
  viewpoint: Viewpoint,
  dx: number,
  dy: number,
  { right, up, distance, scale }: Projection,
  radius: number,
): Viewpoint {
  const unit = (distance ?? 1) / scale / radius;
  const pan = viewpoint.pan.map((value, i) => value + (dy * up[i]! - dx * right[i]!) * unit);
  return { ...viewpoint, pan: pan as unknown as Vector };
}

export function zoomBy(viewpoint: Viewpoint, factor: number): Viewpoint {
  return { ...viewpoint, zoom: Math.max(MIN_ZOOM, Math.min(MAX_ZOOM, viewpoint.zoom * factor)) };
}
