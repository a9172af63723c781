/* Requests of the Graph tab. */
import { postJson } from "../../api/client";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type {
  GraphHead,
  GraphHits,
  GraphList,
  GraphLogged,
  GraphNode,
  GraphQuantity,
  GraphScope,
  GraphScopes,
  GraphSeries,
} from "../../api/types";
import type { Detail } from "./settings.svelte";

/** One graph. `wall` tells a graph that was logged again from the one before. */
export interface GraphSource {
  run: string;
  tag: string;
  detail: Detail;
  wall: number;
}

export const graphLists = new Resource<string[], GraphSeries[]>({
  maxBatch: 1,
  maxCached: 5,
  affects: (event, runs) => runs.some((run) => hasGrown(event, "graphs", run)),
  async fetch([runs], { signal }) {
    const { cursor, series } = await postJson<GraphList>("graphs/series", { runs: { only: runs } }, signal);
    return { cursor, data: [series] };
  },
});

/** Responses of one route about a graph, which does not change. */
function responses<Query, Data>(route: string, maxCached = 50): Resource<Query, Data> {
  return new Resource<Query, Data>({
    maxBatch: 1,
    maxCached,
    fetch: async ([query], { signal }) => ({
      cursor: 0,
      data: [await postJson<Data>(`graphs/${route}`, query, signal)],
    }),
  });
}

export const heads = responses<GraphSource, GraphHead>("head", 6);
export const loggedValues = new Resource<GraphSource, GraphQuantity[]>({
  maxBatch: 1,
  maxCached: 6,
  affects: (event, { run }) => hasGrown(event, "histograms", run) || hasGrown(event, "scalars", run),
  fetch: async ([query], { signal }) => ({
    cursor: 0,
    data: [(await postJson<GraphLogged>("graphs/logged", query, signal)).quantities],
  }),
});
export const nodes = responses<GraphSource & { path: string }, GraphNode>("node");
export const searches = responses<GraphSource & { text: string }, GraphHits>("search");

export type ScopeQuery = GraphSource & { path: string; split: boolean };

export const scopes = new Resource<ScopeQuery, GraphScope>({
  maxBatch: 100,
  maxCached: 1000,
  batchKey: ({ run, tag, detail, wall }) => JSON.stringify([run, tag, detail, wall]),
  fetch: async (queries, { signal }) => ({ cursor: 0, data: await fetchScopes(queries, signal) }),
});

/** Fetches scopes of one graph. */
export async function fetchScopes(queries: ScopeQuery[], signal?: AbortSignal): Promise<GraphScope[]> {
  const { run, tag, detail } = queries[0]!;
  const body = { run, tag, detail, scopes: queries.map(({ path, split }) => ({ path, split })) };
  return (await postJson<GraphScopes>("graphs/scopes", body, signal)).scopes;
}
