/** Columns of facts about all runs, each fetched once and updated when runs grow. */
import { postJson } from "../../api/client";
import { postFrames } from "../../api/frames";
import { Resource } from "../../api/resource.svelte";
import type { FactsHead, FieldList, FieldRow, Grew } from "../../api/types";
import { type Cells, cellsOf, type Direction } from "../cells";
import { hyperparameterOf, metricOf } from "../fieldNames";

export interface FactQuery {
  field: string;
  /** Grows with changes that the server's cursor does not count: names, notes and tags. */
  changes: number;
}

export interface Fact {
  /** Ids of the runs, in the order of the cells. */
  runs: readonly string[];
  type: string;
  best: Direction | null;
  cells: Cells;
}

const MAX_FIELDS = 500;
/** Logged text and sessions hold hyperparameters too. */
const CONFIG_KINDS = ["hparams", "text"];

export const facts = new Resource<FactQuery, Fact>({
  maxBatch: 100,
  maxCached: 400,
  affects: isAffected,
  async fetch(queries, { signal }) {
    const fields = queries.map(({ field }) => field);
    const { head, tables } = await postFrames<FactsHead>("facts", { fields }, signal);
    let at = 0;
    const data = head.columns.map((column): Fact | Error => {
      if ("problem" in column) return new Error(column.problem.message);
      const { type, texts = [], best = null } = column;
      return { runs: head.runs, type, best, cells: cellsOf(tables[at++]!, head.runs.length, texts) };
    });
    return { cursor: head.cursor, data };
  },
});

function isAffected(event: Grew, { field }: FactQuery): boolean {
  const grown = Object.values(event.runs).map(({ kinds }) => kinds);
  const metric = metricOf(field);
  if (metric) return grown.some(({ scalars }) => scalars === "*" || scalars?.includes(metric.tag));
  if (hyperparameterOf(field) !== null) return grown.some((kinds) => CONFIG_KINDS.some((kind) => kind in kinds));
  return true;
}

/** The facts that a search finds, hyperparameters first. */
export const fieldLists = new Resource<{ search: string }, FoundFields>({
  maxBatch: 1,
  maxCached: 20,
  affects: ({ new_tags }) => new_tags.length > 0,
  async fetch([query], { signal }) {
    const body = { search: query!.search, limit: MAX_FIELDS };
    const { cursor, total, fields } = await postJson<FieldList>("facts/fields", body, signal);
    return { cursor, data: [{ total, fields }] };
  },
});

export interface FoundFields {
  total: number;
  fields: FieldRow[];
}
