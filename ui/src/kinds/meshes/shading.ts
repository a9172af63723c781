/* Light on the faces of a mesh. */
import type { MeshLight } from "../../api/types";
import type { Vector } from "../../charts/orbit";
import type { Faces, Positions } from "./meshes";
import type { Projection } from "./viewpoint";

/** The light without a logged one: from everywhere, and from a lamp at the upper right of the camera. */
const [AMBIENT, LAMP] = [0.4, 0.6];
const LAMP_AT = [0.35, 0.45, 0.82] as const;

/** Returns the direction of the surface at each vertex: the mean of its faces, by their area. Zero where it has none. */
export function normalsOf({ x, y, z }: Positions, { a, b, c }: Faces): Positions {
  // In doubles, because the product of large coordinates does not fit into a float.
  const sums = new Float64Array(3 * x.length);
  for (let i = 0; i < a.length; i++) {
    const [p, q, r] = [a[i]!, b[i]!, c[i]!];
    const [ux, uy, uz] = [x[q]! - x[p]!, y[q]! - y[p]!, z[q]! - z[p]!];
    const [vx, vy, vz] = [x[r]! - x[p]!, y[r]! - y[p]!, z[r]! - z[p]!];
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    if (!Number.isFinite(nx + ny + nz)) continue;
    for (const corner of [p, q, r]) {
      sums[3 * corner]! += nx;
      sums[3 * corner + 1]! += ny;
      sums[3 * corner + 2]! += nz;
    }
  }
  const [nx, ny, nz] = [new Float32Array(x.length), new Float32Array(x.length), new Float32Array(x.length)];
  for (let i = 0; i < x.length; i++) {
    const length = Math.hypot(sums[3 * i]!, sums[3 * i + 1]!, sums[3 * i + 2]!) || 1;
    nx[i] = sums[3 * i]! / length;
    ny[i] = sums[3 * i + 1]! / length;
    nz[i] = sums[3 * i + 2]! / length;
  }
  return { x: nx, y: ny, z: nz };
}

/** Writes how bright each vertex is, from 0 to 1. Both sides of a face are lit, as if it faced the viewer. */
export function shade(
  normals: Positions,
  lights: MeshLight[],
  { right, up, forward }: Projection,
  into: Float32Array,
): void {
  const { ambient, lamps } = lights.length ? logged(lights) : standard(right, up, forward);
  const { x, y, z } = normals;
  for (let i = 0; i < x.length; i++) {
    const [nx, ny, nz] = [x[i]!, y[i]!, z[i]!];
    const side = nx * forward[0] + ny * forward[1] + nz * forward[2] < 0 ? -1 : 1;
    let light = ambient;
    for (const { intensity, at } of lamps) {
      const facing = side * (nx * at[0] + ny * at[1] + nz * at[2]);
      if (facing > 0) light += intensity * facing;
    }
    into[i] = light < 1 ? light : 1;
  }
}

interface Lights {
  ambient: number;
  lamps: { intensity: number; at: Vector }[];
}

function standard(right: Vector, up: Vector, forward: Vector): Lights {
  const at = ([0, 1, 2] as const).map((i) => LAMP_AT[0] * right[i] + LAMP_AT[1] * up[i] + LAMP_AT[2] * forward[i]);
  return { ambient: AMBIENT, lamps: [{ intensity: LAMP, at: at as unknown as Vector }] };
}

function logged(lights: MeshLight[]): Lights {
  const ambient = lights.reduce((sum, { intensity, position }) => sum + (position ? 0 : intensity), 0);
  const lamps = lights.flatMap(({ intensity, position }) => {
    if (!position) return [];
    const length = Math.hypot(...position);
    return [{ intensity, at: position.map((value) => value / length) as unknown as Vector }];
  });
  return { ambient, lamps };
}
