/* Requests of the Embeddings tab, apart from metadata and projections. */
import { postJson } from "../../api/client";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type {
  EmbeddingList,
  EmbeddingMoved,
  EmbeddingNeighbors,
  EmbeddingSeparation,
  EmbeddingSeries,
  Grew,
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

/** Answers to one route. What was logged does not change, so only answers about all steps are affected by new points. */
function answers<Query, Data>(route: string, affects?: (event: Grew, query: Query) => boolean): Resource<Query, Data> {
  return new Resource<Query, Data>({
    maxBatch: 1,
    maxCached: 50,
    affects,
    fetch: async ([query], { signal }) => ({
      cursor: 0,
      data: [await postJson<Data>(`embeddings/${route}`, query, signal)],
    }),
  });
}

export const neighborsOf = answers<Source & { row: number; count: number; cosine: boolean }, EmbeddingNeighbors>(
  "neighbors",
);

export const movedRows = answers<{ run: string; tag: string; from: number; to: number; count: number }, EmbeddingMoved>(
  "moved",
);

export const separations = answers<{ run: string; tag: string; column: string }, EmbeddingSeparation>(
  "separation",
  (event, { run, tag }) => hasGrown(event, "embeddings", run, tag),
);
