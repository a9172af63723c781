/* A text with the place of an error, for underlining. */
import { utf16Index } from "./queryTokens";

/** Returns the parts of a text, of which one is wrong. An error at the end is shown as a space. */
export function underline(
  text: string,
  problem: { start: number; end: number } | null,
): { text: string; wrong: boolean }[] {
  if (!problem) return [{ text, wrong: false }];
  const [start, end] = [utf16Index(text, problem.start), utf16Index(text, problem.end)];
  return [
    { text: text.slice(0, start), wrong: false },
    { text: text.slice(start, end) || "\u00a0", wrong: true },
    { text: text.slice(end), wrong: false },
  ].filter((part) => part.text);
}
