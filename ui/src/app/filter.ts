/* Filter of names. Plain words find substrings; text with special characters is a regular expression. */

export interface Filter {
  test(text: string): boolean;
  /** Error in the expression, or null. An invalid filter matches nothing. */
  error: string | null;
}

/** Whether a text is written in the query language, which the server runs, and is not a filter of names. */
export function isQuery(text: string): boolean {
  return /[=<>~"'`]|(^|\s)(and|or|not|in|exists)(?!\S)/i.test(text);
}

const EVERYTHING: Filter = { test: () => true, error: null };

export function compile(query: string): Filter {
  const text = query.trim();
  if (text === "") return EVERYTHING;
  if (!/[\\^$*+?()[\]{}|]/.test(text)) return words(text);
  try {
    const expression = new RegExp(text, "i");
    return { test: (candidate) => expression.test(candidate), error: null };
  } catch (reason) {
    return { test: () => false, error: explain(reason as SyntaxError) };
  }
}

/** Matches all words, in any order and case. */
function words(text: string): Filter {
  const parts = text.toLowerCase().split(/\s+/);
  return {
    test: (candidate) => {
      const lower = candidate.toLowerCase();
      return parts.every((part) => lower.includes(part));
    },
    error: null,
  };
}

/** Shortens `Invalid regular expression: /(a/i: Unterminated group` → `Unterminated group`. */
function explain(reason: SyntaxError): string {
  return reason.message.slice(reason.message.lastIndexOf(": ") + 2);
}
