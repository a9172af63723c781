/* Meshes from the server. */
import { postFrames } from "../../api/frames";
import { Resource } from "../../api/resource.svelte";
import type { MeshHead } from "../../api/types";
import { pixelOf } from "../../charts/raster";
import { normalsOf } from "./shading";
import { type Bounds, boundsOf } from "./viewpoint";

export interface MeshQuery {
  run: string;
  tag: string;
  step: number;
  sample: number;
}

export interface Positions {
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
}

export interface Faces {
  a: Int32Array;
  b: Int32Array;
  c: Int32Array;
}

export interface Mesh {
  head: MeshHead;
  positions: Positions;
  faces: Faces;
  /** Unit vectors, for meshes with faces. */
  normals: Positions | null;
  /** Color of each vertex as a pixel, see `pixelOf`. Null if none were logged. */
  colors: Uint32Array | null;
  /** Null if no vertex can be drawn. */
  bounds: Bounds | null;
}

export const meshes = new Resource<MeshQuery, Mesh>({
  maxBatch: 1,
  // Each has up to 64 MB.
  maxCached: 8,
  async fetch([query], { signal }) {
    const { head, tables } = await postFrames<MeshHead>("meshes/mesh", query, signal);
    const [vertices, faces, colors] = tables as unknown as [Positions, Faces, Record<"r" | "g" | "b", Uint8Array>];
    const { x, y, z } = vertices;
    const mesh: Mesh = {
      head,
      positions: { x, y, z },
      faces,
      normals: faces.a.length ? normalsOf(vertices, faces) : null,
      colors: colors.r.length ? packed(colors) : null,
      bounds: boundsOf(vertices),
    };
    return { cursor: head.cursor, data: [mesh] };
  },
});

const BLACK = pixelOf("#000000");

function packed({ r, g, b }: Record<"r" | "g" | "b", Uint8Array>): Uint32Array {
  return Uint32Array.from(r, (red, i) => (BLACK | red | (g[i]! << 8) | (b[i]! << 16)) >>> 0);
}
