/* Requests of the Attention tab. A logged map does not change, so only lists and curves are affected by new points. */
import { type Frames, postFrames } from "../../api/frames";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type {
  AttentionChange,
  AttentionCurves,
  AttentionMap as MapHead,
  AttentionOverview,
  Grew,
} from "../../api/types";
import { type AttentionMap, readMap, unpack } from "./maps";
import type { Measure } from "./measures";

/** One text at one step. */
export interface Source {
  run: string;
  tag: string;
  step: number;
}

export interface Overview extends AttentionOverview {
  /** Bytes of heads × rows × columns, or null if they cannot be read. */
  thumbnails: Uint8Array | null;
  /** Each measure for all heads. */
  measured: Record<Measure, Float32Array>;
  /** Number of heads in all layers. */
  count: number;
}

export interface Change extends AttentionChange {
  /** Of each head, in nats. */
  divergence: Float32Array;
}

export interface Curves {
  steps: number[];
  heads: number;
  skipped: number;
  /** Steps × heads. */
  values: Float32Array;
}

function answers<Query, Head, Data>(
  route: string,
  read: (frames: Frames<Head>) => Data | Promise<Data>,
  affects?: (event: Grew, query: Query) => boolean,
): Resource<Query, Data> {
  return new Resource<Query, Data>({
    maxBatch: 1,
    maxCached: 40,
    affects,
    async fetch([query], { signal }) {
      const frames = await postFrames<Head>(`attention/${route}`, query, signal);
      const { cursor } = frames.head as { cursor?: number };
      return { cursor: cursor ?? 0, data: [await read(frames)] };
    },
  });
}

const packedOf = ({ tables }: Frames<unknown>): Uint8Array => tables[0]!.packed as Uint8Array;

export const overviews = answers<Source, AttentionOverview, Overview>("overview", async (frames) => {
  const { head, tables } = frames;
  const packed = packedOf(frames);
  const count = head.layers.reduce((sum, { heads }) => sum + heads.length, 0);
  const measured = tables[1] as unknown as Overview["measured"];
  return { ...head, thumbnails: packed.length ? await unpack(packed) : null, measured, count };
});

const readFrames = async (frames: Frames<MapHead>): Promise<AttentionMap> =>
  readMap(await unpack(packedOf(frames)), frames.head.queries, frames.head.keys);

export const headMaps = answers<Source & { layer: number; head: number }, MapHead, AttentionMap>("head", readFrames);

export const rollouts = answers<Source, MapHead, AttentionMap>("rollout", readFrames);

/** One token in all heads: heads × keys, or heads × queries, as bytes. */
export const tokensInHeads = answers<Source & { token: number; side: "from" | "to" }, MapHead, Uint8Array>(
  "token",
  (frames) => unpack(packedOf(frames)),
);

export const changes = answers<Source & { other: Source }, AttentionChange, Change>("change", ({ head, tables }) => ({
  ...head,
  divergence: tables[0]!.divergence as Float32Array,
}));

export const curves = answers<{ run: string; tag: string; measure: Measure }, AttentionCurves, Curves>(
  "curves",
  ({ head: { steps, heads, skipped }, tables }) => ({
    steps,
    heads,
    skipped,
    values: tables[0]!.value as Float32Array,
  }),
  (event, { run, tag }) => hasGrown(event, "attention", run, tag),
);
