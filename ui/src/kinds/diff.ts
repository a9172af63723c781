/* Line diff of two texts: the longest common subsequence, after removing equal lines at both ends. */

export interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
  /** Line numbers from 1, if the text has the line. */
  before?: number;
  after?: number;
}

/** With more pairs of lines than this, all lines in the middle are shown as removed and added. */
const MOST_PAIRS = 4_000_000;

export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (i: number, j: number): DiffLine => ({ kind: "same", text: a[i]!, before: i + 1, after: j + 1 });
  return [
    ...Array.from({ length: head }, (_, i) => same(i, i)),
    ...middle(a, b, head, a.length - tail, b.length - tail),
    ...Array.from({ length: tail }, (_, i) => same(a.length - tail + i, b.length - tail + i)),
  ];
}

function middle(a: string[], b: string[], head: number, aEnd: number, bEnd: number): DiffLine[] {
  const [n, m] = [aEnd - head, bEnd - head];
  const gone = (i: number): DiffLine => ({ kind: "gone", text: a[head + i]!, before: head + i + 1 });
  const fresh = (j: number): DiffLine => ({ kind: "new", text: b[head + j]!, after: head + j + 1 });
  if (n * m > MOST_PAIRS)
    return [...Array.from({ length: n }, (_, i) => gone(i)), ...Array.from({ length: m }, (_, j) => fresh(j))];
  // length[i][j]: length of the longest common subsequence of the lines from i and j on.
  const length = Array.from({ length: n + 1 }, () => new Uint32Array(m + 1));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--)
      length[i]![j] =
        a[head + i] === b[head + j] ? length[i + 1]![j + 1]! + 1 : Math.max(length[i + 1]![j]!, length[i]![j + 1]!);
  }
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && a[head + i] === b[head + j])
      lines.push({ kind: "same", text: a[head + i]!, before: head + i++ + 1, after: head + j++ + 1 });
    else if (j >= m || (i < n && length[i + 1]![j]! >= length[i]![j + 1]!)) lines.push(gone(i++));
    else lines.push(fresh(j++));
  }
  return lines;
}

export type Shown = DiffLine | { kind: "skipped"; lines: number };

/** Replaces equal lines that are far from any change by one entry. */
export function folded(lines: DiffLine[], context = 3): Shown[] {
  const keep = new Set<number>();
  lines.forEach((line, i) => {
    if (line.kind !== "same") for (let k = i - context; k <= i + context; k++) keep.add(k);
  });
  const out: Shown[] = [];
  lines.forEach((line, i) => {
    const last = out.at(-1);
    if (keep.has(i)) out.push(line);
    else if (last?.kind === "skipped") last.lines++;
    else out.push({ kind: "skipped", lines: 1 });
  });
  return out;
}
