/* What can stand at the caret of the query, requested while somebody types. */
import { postJson } from "../../api/client";
import type { CompletionList, CompletionRow } from "../../api/types";
import { isQuery } from "../filter";
import { characterIndex, utf16Index } from "../queryTokens";

const TITLES: Record<CompletionRow["kind"], string> = {
  name: "Names",
  function: "Functions",
  metric: "Metrics",
  value: "Values",
  operator: "Comparisons",
  keyword: "Words",
};
const MOST = 8;
/** A plain filter is mostly a part of a name. Few suggestions say that there is more to find. */
const MOST_FOR_FILTER = 3;

export interface Suggestion extends CompletionRow {
  /** Title of the first suggestion of its kind. */
  title?: string;
}

export class Completion {
  suggestions = $state.raw<Suggestion[]>([]);
  at = $state(0);
  /** The part of the text that a suggestion replaces. */
  #range: [number, number] = [0, 0];
  #request: AbortController | undefined;

  get isOpen(): boolean {
    return this.suggestions.length > 0;
  }

  close(): void {
    this.#request?.abort();
    this.suggestions = [];
  }

  move(by: number): void {
    this.at = (this.at + by + this.suggestions.length) % this.suggestions.length;
  }

  async request(input: HTMLInputElement): Promise<void> {
    this.#request?.abort();
    const { value } = input;
    const index = input.selectionStart ?? value.length;
    if (value.trim() === "") return this.close();
    const { signal } = (this.#request = new AbortController());
    try {
      const body = { query: value, caret: characterIndex(value, index) };
      const found = await postJson<CompletionList>("query/complete", body, signal);
      if (signal.aborted) return;
      this.#range = [utf16Index(value, found.start), utf16Index(value, found.end)];
      this.at = 0;
      this.suggestions = titled(isQuery(value) ? found.completions.slice(0, MOST) : names(found.completions, value));
    } catch (reason) {
      // Without suggestions, a query can still be typed. The header shows whether the connection is lost.
      if (!(reason instanceof Error)) throw reason;
    }
  }

  /** Puts a suggestion into the field, as if it had been typed. */
  accept(input: HTMLInputElement, { text, kind }: Suggestion): void {
    const closes = kind === "function" || text.endsWith("(");
    input.setRangeText(closes ? text : `${text} `, ...this.#range, "end");
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    input.focus();
  }
}

function names(rows: CompletionRow[], value: string): CompletionRow[] {
  const typed = value.trim().toLowerCase();
  const starts = rows.filter(({ text, kind }) => kind === "name" && text.toLowerCase().startsWith(typed));
  return typed.length > 1 ? starts.slice(0, MOST_FOR_FILTER) : [];
}

/** Sorts by kind, in the order in which the kinds come, and gives the first of each its title. */
function titled(rows: CompletionRow[]): Suggestion[] {
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  return kinds.flatMap((kind) =>
    rows.filter((row) => row.kind === kind).map((row, i) => (i === 0 ? { ...row, title: TITLES[kind] } : row)),
  );
}
