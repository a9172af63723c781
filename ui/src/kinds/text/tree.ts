/* Parses a config into a tree: JSON, or YAML with maps, lists and scalars nested by indentation. */

export interface Tree {
  [key: string]: Tree | Leaf;
}
export type Leaf = string | number | boolean | null;

/** In characters. */
const SHORT = 60;

export function isBranch(node: Tree | Leaf): node is Tree {
  return typeof node === "object" && node !== null;
}

/** Returns a list as one line, or null if it is long or nested. */
export function shortList(node: Tree): string | null {
  const items = Object.values(node);
  if (!isList(node) || items.some(isBranch)) return null;
  const words = `[${items.map((item) => JSON.stringify(item)).join(", ")}]`;
  return words.length <= SHORT ? words : null;
}

/** Returns whether it is a list. A YAML list is stored with the indexes of its items as keys. */
export function isList(node: Tree): boolean {
  return (
    Array.isArray(node) || (Object.keys(node).length > 0 && Object.keys(node).every((key, i) => key === String(i)))
  );
}

/** Returns the tree of a text without its code fences, or null if the text is not a config. */
export function parseTree(text: string): Tree | null {
  const bare = text
    .trim()
    .replace(/^```\w*\n([\s\S]*?)\n?```$/, "$1")
    .trim();
  return /^[{[]/.test(bare) ? parseJson(bare) : parseYaml(bare);
}

function parseJson(text: string): Tree | null {
  try {
    return JSON.parse(text) as Tree;
  } catch {
    return null; // prose that starts with a bracket
  }
}

interface Line {
  indent: number;
  text: string;
}

class Prose extends Error {}

/** Returns null for anchors, block scalars and other rare syntax. Then the text is shown as it is. */
function parseYaml(text: string): Tree | null {
  const lines: Line[] = [];
  for (const line of text.split("\n")) {
    const bare = line.replace(/\s+#.*$/, "").trimEnd();
    if (bare.trim() !== "" && !bare.trim().startsWith("#") && bare !== "---")
      lines.push({ indent: bare.length - bare.trimStart().length, text: bare.trimStart() });
  }
  if (lines.length < 2) return null;
  try {
    const tree = block(lines, lines[0]!.indent);
    return lines.length === 0 ? tree : null;
  } catch (reason) {
    if (reason instanceof Prose) return null;
    throw reason;
  }
}

/** Parses and removes the first lines: those of one indentation and their children. */
function block(lines: Line[], indent: number): Tree {
  const tree: Tree = {};
  for (let item = 0; lines.length && lines[0]!.indent >= indent;) {
    const line = lines[0]!;
    if (line.indent > indent) throw new Prose();
    const dash = /^-(\s+|$)/.exec(line.text);
    const rest = dash ? line.text.slice(dash[0].length) : line.text;
    if (dash && /^[\w.$/-]+:(\s|$)/.test(rest)) {
      // A map in a list: its first key follows the dash.
      lines[0] = { indent: indent + dash[0].length, text: rest };
      tree[item++] = block(lines, indent + dash[0].length);
      continue;
    }
    const pair = dash ? [String(item++), rest] : /^([\w.$/-]+):(?:\s+(.*))?$/.exec(line.text)?.slice(1);
    if (!pair) throw new Prose();
    lines.shift();
    const [key = "", value = ""] = pair;
    const below = lines[0];
    const hangs = below && (below.indent > indent || (!dash && below.indent === indent && below.text.startsWith("- ")));
    tree[key] = value === "" && hangs ? block(lines, below.indent) : leaf(value);
  }
  return tree;
}

function leaf(text: string): Tree | Leaf {
  if (/^[&*!|>]/.test(text)) throw new Prose();
  if (text === "true" || text === "false") return text === "true";
  if (text === "" || text === "null" || text === "~") return null;
  if (text.startsWith("[") && text.endsWith("]"))
    return Object.fromEntries(inner(text).map((item, i) => [i, leaf(item)]));
  if (text === "{}") return {};
  const unquoted = /^(["'])(.*)\1$/.exec(text)?.[2];
  if (unquoted !== undefined) return unquoted;
  return !Number.isNaN(Number(text)) ? Number(text) : text;
}

function inner(list: string): string[] {
  const bare = list.slice(1, -1).trim();
  if (/[[\]{}]/.test(bare)) throw new Prose();
  return bare === "" ? [] : bare.split(",").map((item) => item.trim());
}
