/* Runs that a query selects, kept up to date while runs grow. Plain filters never get here: the page tests them itself. */
import { postJson } from "../api/client";
import { Current, Resource } from "../api/resource.svelte";
import type { QueryResponse } from "../api/types";
import { board, query } from "./board.svelte";
import { factChanges } from "./factChanges.svelte";
import { isQuery } from "./filter";

interface Query {
  query: string;
  changes: number;
}

interface Result extends QueryResponse {
  query: string;
}

const results = new Resource<Query, Result>({
  maxBatch: 1,
  maxCached: 20,
  affects: () => true,
  fetch: async (asked, { signal }) => {
    const { query } = asked[0]!;
    const response = await postJson<QueryResponse>("query", { query }, signal);
    return { cursor: response.cursor, data: [{ ...response, query }] };
  },
});

class Queries {
  #current = new Current(results, (older: Query, newer: Query) => older.query === newer.query);
  #result = $derived(isQuery(query.value) && this.#current.data?.query === query.value ? this.#current.data : null);
  problem = $derived(this.#result?.problem ?? null);
  lacking = $derived(this.#result?.lacking ?? []);
  /** Why there is no result: the server could not be reached. */
  error = $derived(isQuery(query.value) ? this.#current.error : null);

  constructor() {
    $effect.root(() => {
      this.#current.follow(() => (isQuery(query.value) ? { query: query.value, changes: factChanges() } : null));
      $effect(() => {
        const result = this.#result;
        if (result) board.matched = { query: result.query, runs: result.runs && new Set(result.runs) };
        else if (this.error) board.matched = { query: query.value, runs: null };
        board.queryProblem = this.problem?.message ?? null;
      });
    });
  }
}

export const queries = new Queries();
