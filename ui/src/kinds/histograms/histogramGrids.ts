/* Histogram grids by run and tag, at the resolution that a card draws. */
import { unlessMissing } from "../../api/batches";
import { postFrames, type Table } from "../../api/frames";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type { CardsHead } from "../../api/types";
import type { Span } from "../../charts/box";
import { type HistogramGrid, parseHistogramGrid } from "./histogramGrid";

export interface GridQuery {
  run: string;
  tag: string;
  /** The resolution of the drawing. */
  columns: number;
  rows: number;
  bands: boolean;
}

export const histogramGrids = new Resource<GridQuery, HistogramGrid>({
  // Small batches, so that the first cards are drawn soon.
  maxBatch: 4,
  affects: (event, { run, tag }) => hasGrown(event, "histograms", run, tag),
  batchKey: ({ columns, rows, bands }) => JSON.stringify([columns, rows, bands]),
  async fetch(queries, { signal }) {
    const { columns, rows, bands } = queries[0]!;
    const cards = queries.map(({ run, tag }) => ({ run, tag }));
    const body = { cards, columns, rows, bands };
    const { head, tables } = await postFrames<CardsHead>("histograms/cards", body, signal);
    const rest = tables.values();
    const next = (): Table => rest.next().value!;
    const data = head.cards.map((card) => unlessMissing(card, (found) => parseHistogramGrid(found, next(), next())));
    return { cursor: head.cursor, data };
  },
});

/** Returns the grid, if it has arrived and has at least one histogram that could be read. */
export function drawableGrid(query: GridQuery): HistogramGrid | undefined {
  const grid = histogramGrids.get(query);
  return grid instanceof Error || !grid?.columns ? undefined : grid;
}

/** Returns the common range of the values, or null if no grid has arrived. */
export function valueRange(queries: GridQuery[]): Span | null {
  const values = queries.flatMap((query) => drawableGrid(query)?.values ?? []);
  return values.length ? [Math.min(...values), Math.max(...values)] : null;
}
