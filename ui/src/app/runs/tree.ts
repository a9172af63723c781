/* Lines of the sidebar: the runs as a list, or as a tree by path, where a folder with one entry shares its line. */
import type { RunRow } from "../../api/types";
import type { RunGroup } from "../groups/factGroups";

export type Sort = "name" | "-name" | "last" | "-last";

export interface RunLine {
  type: "run";
  key: string;
  depth: number;
  run: RunRow;
  /** The name without the folders above it. */
  text: string;
}

export interface FolderLine {
  type: "folder";
  key: string;
  depth: number;
  text: string;
  runs: RunRow[];
  open: boolean;
}

/** A group of runs with equal facts. `runs` are those in the list. */
export interface GroupLine extends Omit<FolderLine, "type"> {
  type: "group";
  group: RunGroup;
}

export type Line = RunLine | FolderLine | GroupLine;

export interface Shape {
  folders: boolean;
  folded: ReadonlySet<string>;
}

/** Returns the lines of sorted runs. */
export function lines(runs: readonly RunRow[], { folders, folded }: Shape): Line[] {
  if (!folders) return runs.map((run) => leaf(run, nameOf(run), 0));
  const out: Line[] = [];
  unfold(
    runs.map((run) => ({ run, parts: nameOf(run).split("/") })),
    { prefix: "", level: 0, depth: 0 },
    folded,
    out,
  );
  return out;
}

/** Sorts runs. Separate from filtering, because it takes longest and is rarely needed again. */
export function arrange(runs: readonly RunRow[], sort: Sort): RunRow[] {
  const down = sort.startsWith("-") ? -1 : 1;
  const keyed = runs.map((run) => ({ run, key: sort.endsWith("last") ? (run.last ?? 0) : natural(nameOf(run)) }));
  keyed.sort((a, b) => (a.key < b.key ? -down : a.key > b.key ? down : 0));
  return keyed.map(({ run }) => run);
}

export function nameOf(run: RunRow): string {
  return run.alias || run.label;
}

interface Entry {
  run: RunRow;
  parts: string[];
}

/** `prefix` is the path so far, `level` how many parts of it are used up, `depth` how far it is indented. */
interface Place {
  prefix: string;
  level: number;
  depth: number;
}

function unfold(entries: Entry[], { prefix, level, depth }: Place, folded: ReadonlySet<string>, out: Line[]): void {
  for (const group of byPart(entries, level)) {
    const only = group[0]!;
    if (group.length === 1) {
      out.push(leaf(only.run, only.parts.slice(level).join("/"), depth));
      continue;
    }
    const end = Math.max(sharedLevel(group, level), level + 1);
    const text = only.parts.slice(level, end).join("/");
    const key = `${prefix}${text}/`;
    const open = !folded.has(key);
    out.push({ type: "folder", key, depth, text, runs: group.map((entry) => entry.run), open });
    if (open) unfold(group, { prefix: key, level: end, depth: depth + 1 }, folded, out);
  }
}

/** Groups entries by their next part, in order of first appearance. A run that is also a folder (`a` next to `a/b`) stays alone. */
function byPart(entries: Entry[], level: number): Entry[][] {
  const groups = new Map<string | Entry, Entry[]>();
  for (const entry of entries) {
    const isLast = entry.parts.length <= level + 1;
    const key = isLast ? entry : entry.parts[level]!;
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return [...groups.values()];
}

/** Returns the first level at which the paths of a group differ, or one of them ends. */
function sharedLevel(group: Entry[], level: number): number {
  const first = group[0]!.parts;
  let end = level;
  while (group.every(({ parts }) => parts.length > end + 1 && parts[end] === first[end])) end += 1;
  return end;
}

function leaf(run: RunRow, text: string, depth: number): RunLine {
  return { type: "run", key: run.id, depth, run, text };
}

/** `trial-9` before `trial-10`, `lr0.001` before `lr0.01`, `v1.9` before `v1.10`. Returns a string that
    sorts this way: a collator takes a second for 100 000 names, and ignores fractions. */
export function natural(name: string): string {
  const fractionOrDigits = /(?<![v.\d])(\d+)(\.\d+)(?![.\d])|\d+/g;
  return name
    .toLowerCase()
    .replace(
      fractionOrDigits,
      (digits: string, whole: string = digits, fraction = "") => whole.padStart(10, "0") + fraction,
    );
}
