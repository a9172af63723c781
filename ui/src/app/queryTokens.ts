/* Parts of a query for its colors. It only resembles the lexer of the server, which decides what a query means. */

export interface QueryPart {
  text: string;
  kind: "name" | "value" | "operator" | "keyword" | "space";
}

const PART = /(\s+)|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(`(?:[^`\\]|\\.)*`?)|([<>=!~]+|[(),])|[^\s()<>=!~,"'`]+/g;
const KEYWORDS = /^(and|or|not|in|exists)$/i;

export function queryParts(query: string): QueryPart[] {
  const parts: QueryPart[] = [];
  let afterOperator = false;
  let inList = false;
  for (const [text, space, quoted, name, operator] of query.matchAll(PART)) {
    let kind: QueryPart["kind"] = afterOperator || inList ? "value" : "name";
    if (space) kind = "space";
    else if (operator) {
      kind = "operator";
      inList = operator === "(" ? isIn(parts) : inList && operator !== ")";
      afterOperator = /[<>=!~]/.test(operator);
    } else if (quoted) kind = "value";
    else if (!name && kind === "name" && KEYWORDS.test(text)) kind = "keyword";
    if (!space && !operator) afterOperator = false;
    parts.push({ text, kind });
  }
  return parts;
}

function isIn(parts: QueryPart[]): boolean {
  return parts.findLast(({ kind }) => kind !== "space")?.text.toLowerCase() === "in";
}

/** Returns the index in a JavaScript string of a position that counts Unicode characters. */
export function utf16Index(text: string, position: number): number {
  return Array.from(text).slice(0, position).join("").length;
}

/** Returns the position in Unicode characters of an index in a JavaScript string. */
export function characterIndex(text: string, index: number): number {
  return Array.from(text.slice(0, index)).length;
}
