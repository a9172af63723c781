/* Config-like text as a tree: JSON objects and lists, and the flat `key: value` lines of YAML. */

export type Tree = { [key: string]: Tree | Leaf };
export type Leaf = string | number | boolean | null;

export function isBranch(node: Tree | Leaf): node is Tree {
  return typeof node === "object" && node !== null;
}

/** The tree in a text, or null where it is prose. Code fences around it are taken off. */
export function parseTree(text: string): Tree | null {
  const bare = text.trim().replace(/^```\w*\n([\s\S]*?)\n?```$/, "$1").trim();
  if (/^[{[]/.test(bare)) {
    try {
      return JSON.parse(bare) as Tree;
    } catch {
      return null; // prose that begins with a bracket
    }
  }
  return parseYaml(bare);
}

/** Maps nested by indentation, with scalars as values; anything more makes it prose. */
function parseYaml(text: string): Tree | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  if (lines.length < 2) return null;
  const root: Tree = {};
  const open: { indent: number; node: Tree }[] = [{ indent: -1, node: root }];
  for (const line of lines) {
    const match = /^( *)([\w.$/-]+):(?: +(.*))?$/.exec(line);
    if (!match) return null;
    const [, spaces = "", key = "", value] = match;
    while (open.at(-1)!.indent >= spaces.length) open.pop();
    const parent = open.at(-1)!.node;
    if (value === undefined || value === "") {
      const node: Tree = {};
      parent[key] = node;
      open.push({ indent: spaces.length, node });
    } else parent[key] = leaf(value);
  }
  return root;
}

function leaf(text: string): Leaf {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null" || text === "~") return null;
  const unquoted = /^(["'])(.*)\1$/.exec(text)?.[2];
  if (unquoted !== undefined) return unquoted;
  return text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
}
