/* Metadata of embeddings: the columns of the labels file, and the sprite. */
import { postFrames } from "../../api/frames";
import { Resource } from "../../api/resource.svelte";
import type { EmbeddingMetadata, MetadataColumn } from "../../api/types";

export interface Source {
  run: string;
  tag: string;
  step: number;
}

/** A column. It has `numbers`, `codes` (indices into `categories`), both, or else `texts`. */
export interface PointColumn {
  name: string;
  type: MetadataColumn["type"];
  categories?: string[];
  numbers?: Float64Array;
  codes?: Int32Array;
  texts?: string[];
}

export interface Metadata {
  columns: PointColumn[];
  sprite: EmbeddingMetadata["sprite"];
  problems: string[];
}

export const metadataOf = new Resource<Source, Metadata>({
  maxBatch: 1,
  maxCached: 20,
  async fetch([source], { signal }) {
    const { head, tables } = await postFrames<EmbeddingMetadata>("embeddings/metadata", source, signal);
    const columns = head.columns.map(({ name, type, categories }, i): PointColumn => {
      const { number, category, text } = tables[i]!;
      return {
        name,
        type,
        categories,
        numbers: number as Float64Array | undefined,
        codes: category as Int32Array | undefined,
        texts: text as string[] | undefined,
      };
    });
    return { cursor: 0, data: [{ columns, sprite: head.sprite, problems: head.problems }] };
  },
});

/** Returns the text of a row in a column. */
export function textOf({ categories, codes, numbers, texts }: PointColumn, row: number): string {
  if (codes && categories) return categories[codes[row]!] ?? "";
  return numbers ? String(numbers[row]) : (texts?.[row] ?? "");
}

/** The column that says most about a row: free text, else the first one. */
export function labelColumn(columns: PointColumn[]): PointColumn | undefined {
  return columns.find(({ type }) => type === "text") ?? columns[0];
}

/** The column to color by at first: the first one with categories. */
export function colorColumn(columns: PointColumn[]): PointColumn | undefined {
  return columns.find(({ codes, categories }) => codes && categories && categories.length > 1);
}

/** Whether a column is drawn with one color per category, and not on a ramp. */
export function isCategorical({ numbers, codes, categories }: PointColumn): boolean {
  return codes !== undefined && (numbers === undefined || categories!.length <= 12);
}
