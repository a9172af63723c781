/* Lists of facts and conditions, as in the URL: `lr, model = bert, tags in (a, b)`. */

/** Splits a list at its commas. Those in parentheses, quotes and backticks belong to an item. */
export function factList(text: string): string[] {
  const items: string[] = [];
  let [depth, quote, item] = [0, "", ""];
  for (const char of text) {
    if (quote) quote = char === quote ? "" : quote;
    else if ("\"'`".includes(char)) quote = char;
    else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    else if (char === "," && depth <= 0) {
      items.push(item.trim());
      item = "";
      continue;
    }
    item += char;
  }
  return [...items, item.trim()].filter(Boolean);
}

export function addFact(text: string, fact: string): string {
  return [...new Set([...factList(text), fact])].join(", ");
}

export function removeFact(text: string, fact: string): string {
  return factList(text)
    .filter((other) => other !== fact)
    .join(", ");
}
