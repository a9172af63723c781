/* Requests of the Embeddings tab, apart from metadata and projections. */
import { postJson } from "../../api/client";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type {
  EmbeddingList,
  EmbeddingMoved,
  EmbeddingNeighbors,
  EmbeddingSeparation,
  EmbeddingSeries,
} from "../../api/types";
import type { Source } from "./metadata";

export const embeddingLists = new Resource<string[], EmbeddingSeries[]>({
  maxBatch: 1,
  maxCached: 5,
  affects: (event, runs) => runs.some((run) => hasGrown(event, "embeddings", run)),
  async fetch([runs], { signal }) {
    const { cursor, series } = await postJson<EmbeddingList>("embeddings/series", { runs: { only: runs } }, signal);
    return { cursor, data: [series] };
  },
});

/** Answers to one route. What was logged does not change, so they are fetched once. */
function once<Query, Data>(route: string): Resource<Query, Data> {
  return new Resource<Query, Data>({
    maxBatch: 1,
    maxCached: 50,
    fetch: async ([query], { signal }) => ({
      cursor: 0,
      data: [await postJson<Data>(`embeddings/${route}`, query, signal)],
    }),
  });
}

export const neighborsOf = once<Source & { row: number; count: number; cosine: boolean }, EmbeddingNeighbors>(
  "neighbors",
);

export const movedRows = once<{ run: string; tag: string; from: number; to: number; count: number }, EmbeddingMoved>(
  "moved",
);

export const separations = new Resource<{ run: string; tag: string; column: string }, EmbeddingSeparation>({
  maxBatch: 1,
  maxCached: 10,
  affects: (event, { run, tag }) => hasGrown(event, "embeddings", run, tag),
  fetch: async ([query], { signal }) => ({
    cursor: 0,
    data: [await postJson<EmbeddingSeparation>("embeddings/separation", query, signal)],
  }),
});
