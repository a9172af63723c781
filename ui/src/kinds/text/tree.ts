/* Parses a config into a tree: JSON, or YAML with maps, lists and scalars nested by indentation.
   A tree keeps everything that a JSON document has: the order and the repetitions of keys, and values as they were written. */

export interface Branch {
  isList: boolean;
  entries: [key: string, node: TreeNode][];
}
/** A leaf is a JSON literal: `0.10`, `"text"`, `null`. */
export type TreeNode = Branch | string;

/** In characters. */
const SHORT = 60;

export function isBranch(node: TreeNode): node is Branch {
  return typeof node !== "string";
}

/** Returns a list as one line, or null if it is long or nested. */
export function shortList({ isList, entries }: Branch): string | null {
  if (!isList && entries.length > 0) return null;
  const items = entries.map(([, node]) => node).filter((node): node is string => !isBranch(node));
  if (items.length < entries.length) return null;
  const line = isList ? `[${items.join(", ")}]` : "{}";
  return line.length <= SHORT ? line : null;
}

export function countNodes(node: TreeNode): number {
  return isBranch(node) ? node.entries.reduce((sum, [, child]) => sum + countNodes(child), 1) : 1;
}

export function toJson(node: TreeNode, indent = ""): string {
  if (!isBranch(node)) return node;
  const { isList, entries } = node;
  if (entries.length === 0) return isList ? "[]" : "{}";
  const inner = `${indent}  `;
  const lines = entries.map(
    ([key, child]) => `${inner}${isList ? "" : `${JSON.stringify(key)}: `}${toJson(child, inner)}`,
  );
  return `${isList ? "[" : "{"}\n${lines.join(",\n")}\n${indent}${isList ? "]" : "}"}`;
}

/** Returns the tree of a JSON or YAML text, also between code fences, or null if the text is not a config. */
export function parseTree(text: string): Branch | null {
  const bare = text
    .trim()
    .replace(/^```\w*\n([\s\S]*?)\n?```$/, "$1")
    .trim();
  return parseJson(bare) ?? parseYaml(bare);
}

class Prose extends Error {}

/** Calls a parser, and returns null if the text is not what it parses. */
function orNull(parse: () => Branch): Branch | null {
  try {
    return parse();
  } catch (reason) {
    if (reason instanceof Prose || reason instanceof SyntaxError) return null;
    throw reason;
  }
}

const TOKEN = /[{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+/g;
const MAX_DEPTH = 100;

/** Returns the tree of a JSON document, or null if the text is not an object or a list. */
export function parseJson(text: string): Branch | null {
  if (!/^\s*[{[]/.test(text)) return null;
  return orNull(() => {
    JSON.parse(text); // Its result would drop repeated keys, move numbers among the keys, and round long numbers.
    const tokens = text.match(TOKEN)!.filter((token) => token !== "," && token !== ":");
    return jsonNode(tokens.reverse()) as Branch;
  });
}

/** Parses and removes the last tokens. */
function jsonNode(tokens: string[], depth = 0): TreeNode {
  const token = tokens.pop()!;
  if (token !== "{" && token !== "[") return token;
  if (depth > MAX_DEPTH) throw new Prose();
  const branch: Branch = { isList: token === "[", entries: [] };
  const end = branch.isList ? "]" : "}";
  while (tokens.at(-1) !== end) {
    const key = branch.isList ? String(branch.entries.length) : (JSON.parse(tokens.pop()!) as string);
    branch.entries.push([key, jsonNode(tokens, depth + 1)]);
  }
  tokens.pop();
  return branch;
}

interface Line {
  indent: number;
  text: string;
}

/** Returns null for anchors, block scalars and other rare syntax, and for repeated keys. */
function parseYaml(text: string): Branch | null {
  const lines: Line[] = [];
  for (const line of text.split("\n")) {
    const bare = line.replace(/\s+#.*$/, "").trimEnd();
    if (bare.trim() !== "" && !bare.trim().startsWith("#") && bare !== "---")
      lines.push({ indent: bare.length - bare.trimStart().length, text: bare.trimStart() });
  }
  if (lines.length < 2) return null;
  const tree = orNull(() => yamlBlock(lines, lines[0]!.indent));
  return lines.length === 0 ? tree : null;
}

/** Parses and removes the first lines: those of one indentation and their children. */
function yamlBlock(lines: Line[], indent: number): Branch {
  const branch: Branch = { isList: lines[0]!.text.startsWith("-"), entries: [] };
  while (lines.length && lines[0]!.indent >= indent) {
    const line = lines[0]!;
    const dash = /^-(\s+|$)/.exec(line.text);
    if (line.indent > indent || (dash !== null) !== branch.isList) throw new Prose();
    const rest = dash ? line.text.slice(dash[0].length) : line.text;
    const index = String(branch.entries.length);
    if (dash && /^[\w.$/-]+:(\s|$)/.test(rest)) {
      // A map in a list: its first key follows the dash.
      lines[0] = { indent: indent + dash[0].length, text: rest };
      branch.entries.push([index, yamlBlock(lines, indent + dash[0].length)]);
      continue;
    }
    const pair = dash ? [index, rest] : /^([\w.$/-]+):(?:\s+(.*))?$/.exec(line.text)?.slice(1);
    if (!pair) throw new Prose();
    lines.shift();
    const [key = "", value = ""] = pair;
    if (branch.entries.some(([other]) => other === key)) throw new Prose();
    const below = lines[0];
    const hangs = below && (below.indent > indent || (!dash && below.indent === indent && below.text.startsWith("- ")));
    branch.entries.push([key, value === "" && hangs ? yamlBlock(lines, below.indent) : yamlLeaf(value)]);
  }
  return branch;
}

function yamlLeaf(text: string): TreeNode {
  if (/^[&*!|>]/.test(text)) throw new Prose();
  if (text === "" || text === "null" || text === "~") return "null";
  if (text === "true" || text === "false") return text;
  if (text.startsWith("[") && text.endsWith("]"))
    return { isList: true, entries: inner(text).map((item, i) => [String(i), yamlLeaf(item)]) };
  if (text === "{}") return { isList: false, entries: [] };
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return text;
  return JSON.stringify(/^(["'])(.*)\1$/.exec(text)?.[2] ?? text);
}

function inner(list: string): string[] {
  const bare = list.slice(1, -1).trim();
  if (/[[\]{}]/.test(bare)) throw new Prose();
  return bare === "" ? [] : bare.split(",").map((item) => item.trim());
}
