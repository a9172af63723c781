/* Ranks search results. Every word must occur; an earlier match of the first word ranks higher, and one in the title highest. */
import type { Action } from "../base/actions";

export function rank(actions: Action[], words: string): Action[] {
  const parts = split(words);
  if (parts.length === 0) return actions;
  const scored = actions.map((action) => ({ action, score: score(action, parts) }));
  return scored
    .filter(({ score }) => score !== null)
    .sort((a, b) => (a.score ?? 0) - (b.score ?? 0))
    .map(({ action }) => action);
}

/** Splits a title into parts, and marks those that match. */
export function marked(title: string, words: string): { text: string; hit: boolean }[] {
  const parts = split(words);
  if (parts.length === 0) return [{ text: title, hit: false }];
  const pattern = new RegExp(`(${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");
  return title
    .split(pattern)
    .map((text, i) => ({ text, hit: i % 2 === 1 }))
    .filter(({ text }) => text !== "");
}

function score({ title, also = "" }: Action, parts: string[]): number | null {
  const text = `${title} ${also}`.toLowerCase();
  let total = 0;
  for (const part of parts) {
    const at = text.indexOf(part);
    if (at < 0) return null;
    // A match at the start of a word ranks higher than one within it.
    total += at + (at === 0 || /\W/.test(text[at - 1] ?? "") ? 0 : 20) + (at > title.length ? 100 : 0);
  }
  return total;
}

function split(words: string): string[] {
  return words.toLowerCase().split(/\s+/).filter(Boolean);
}
