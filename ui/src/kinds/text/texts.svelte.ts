/* The texts on screen. */
import { post } from "../../api/client";
import type { Text, TextList } from "../../api/types";
import { FetchCache } from "../../app/fetchCache.svelte";

export type { Text };

export interface Place {
  run: string;
  tag: string;
  step: number;
}

/** A tag without what torch adds to every one. */
export const nameOf = (tag: string): string => tag.replace(/\/text_summary$/, "");

const MOST_KEPT = 500;

async function fetchTexts(places: Place[]): Promise<Text[]> {
  const { texts } = (await (await post("text/texts", { texts: places })).json()) as TextList;
  return texts;
}

export const texts = new FetchCache<Place, Text>(
  ({ run, tag, step }) => `${run} ${step} ${tag}`,
  fetchTexts,
  MOST_KEPT,
);
