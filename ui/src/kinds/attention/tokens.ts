/* Tokens as people read them. */

/** Returns a token without the marks of its tokenizer: a space at the start of a word, a line break. */
export function tokenText(token: string): string {
  const text = token
    .replace(/^[Ġ▁ ]/, "")
    .replace(/[Ċ\n]/g, "↵")
    .replace(/\t/g, "⇥");
  return text === "" ? "␣" : text;
}

/** Returns at most so many characters of a token. */
export function shortToken(token: string, most: number): string {
  const text = tokenText(token);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
