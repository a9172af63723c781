/* The runs' filter: plain words find substrings; what looks like a regular expression is JavaScript's own. */

export interface Filter {
  test(text: string): boolean;
  /** What is wrong with the expression, in words; the filter then finds nothing new. */
  error: string | null;
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

/** All words, in any order and case. */
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

/** `Invalid regular expression: /(a/i: Unterminated group` → `Unterminated group`. */
function explain(reason: SyntaxError): string {
  return reason.message.slice(reason.message.lastIndexOf(": ") + 2);
}
