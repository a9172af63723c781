/* Completion of formulas: the tags and functions that the word at the caret may mean. */

const FUNCTIONS = [
  "abs",
  "exp",
  "log",
  "log2",
  "log10",
  "sqrt",
  "min",
  "max",
  "ema",
  "diff",
  "cumsum",
  "cummin",
  "cummax",
];
const MAX_ITEMS = 4;
/** A name at the end of a text: in backticks that are not closed, or plain. A slash may be a part of it. */
const AT_END = /`([^`]*)$|[\p{L}_][\p{L}\p{N}_./-]*$/u;
const PLAIN = /^[\p{L}_][\p{L}\p{N}_.]*$/u;

export interface Completions {
  start: number;
  end: number;
  items: string[];
}

/** Returns what the word that ends at the caret can become, or null if there is no word. */
export function completionsAt(text: string, caret: number, tags: readonly string[]): Completions | null {
  const before = text.slice(0, caret);
  // An odd number of backticks opens a name.
  const isInName = (before.match(/`/g)?.length ?? 0) % 2 === 1;
  const found = AT_END.exec(isInName ? before.slice(before.lastIndexOf("`")) : before);
  if (!found) return null;
  const start = caret - found[0].length;
  const typed = found[1] ?? found[0];
  const word = typed.toLowerCase();
  const end = isInName && text[caret] === "`" ? caret + 1 : caret;
  if (!word || tags.includes(typed)) return null;
  const names = tags.filter((tag) => tag.toLowerCase().includes(word)).map(quoted);
  const functions = isInName ? [] : FUNCTIONS.filter((name) => name.startsWith(word)).map((name) => `${name}(`);
  return { start, end, items: [...functions, ...names].slice(0, MAX_ITEMS) };
}

/** Returns a tag as formulas spell it. */
export function quoted(tag: string): string {
  return PLAIN.test(tag) ? tag : `\`${tag.replace(/[\\`]/g, "\\$&")}\``;
}
