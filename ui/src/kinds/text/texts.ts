/* Texts by run, tag and step, and the search in them. */
import { postJson } from "../../api/client";
import { unlessMissing } from "../../api/batches";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type { SearchResult, Text, TextList } from "../../api/types";

export type { Text };

/** Rendered shows JSON documents as trees, and all other text as Markdown. Tree also shows YAML as a tree. */
export type Mode = "rendered" | "tree" | "source";

export interface Place {
  run: string;
  tag: string;
  step: number;
}

/** Returns a tag without the suffix that torch adds to every tag of a text. */
export const nameOf = (tag: string): string => tag.replace(/\/text_summary$/, "");

export const texts = new Resource<Place, Text>({
  async fetch(places, { signal }) {
    const { cursor, texts } = await postJson<TextList>("text/texts", { texts: places }, signal);
    return { cursor, data: texts.map((text) => unlessMissing(text, (found) => found)) };
  },
});

export const searches = new Resource<{ words: string; runs: string[] }, SearchResult>({
  maxBatch: 1,
  maxCached: 20,
  affects: (event, { runs }) => runs.some((run) => hasGrown(event, "text", run)),
  async fetch([query], { signal }) {
    const { words, runs } = query!;
    const found = await postJson<SearchResult>("text/search", { words, runs: { only: runs } }, signal);
    return { cursor: found.cursor, data: [found] };
  },
});
