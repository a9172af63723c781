/* Which tags of a chart are drawn on a second y axis. */
import type { Span } from "../../charts/box";
import type { ChartData } from "../../charts/lines/data";
import { type ExtentRule, yExtent } from "../../charts/lines/extent";

/** A tag gets the second axis if, on a common one, it or the others would take less than this part of the height. */
export const FLAT = 0.1;

export interface RightAxis {
  tags: ReadonlySet<string>;
  y: Span;
}

/** Returns the second axis, or null if one suffices. `wanted` draws all tags but the first on it in any case. */
export function rightAxis(
  data: ChartData,
  tags: readonly string[],
  rule: ExtentRule,
  wanted: boolean | undefined,
): RightAxis | null {
  const drawn = tags.filter((tag) => data.lines.some((line) => line.tag === tag));
  if (drawn.length < 2 || wanted === false || data.density) return null;
  const flat = flatTags(
    drawn.map((tag) => extentOf(data, new Set([tag]), rule)),
    rule,
  );
  const apart = flat.length || !wanted ? flat : [...drawn.keys()].slice(1);
  if (!apart.length) return null;
  const right = new Set(apart.map((i) => drawn[i]!));
  return { tags: right, y: extentOf(data, right, rule) };
}

/** Returns the indexes of the tags that do not fit on the axis of the first. */
export function flatTags(spans: Span[], { scale }: Pick<ExtentRule, "scale">): number[] {
  const scaled = spans.map((span) => span.map(scale === "log" ? Math.log10 : (v: number) => v) as unknown as Span);
  let left = scaled[0]!;
  const flat: number[] = [];
  for (const [i, span] of scaled.entries()) {
    const all: Span = [Math.min(left[0], span[0]), Math.max(left[1], span[1])];
    if (Math.min(length(left), length(span)) < FLAT * length(all)) flat.push(i);
    else left = all;
  }
  return flat;
}

export function extentOf(data: ChartData, tags: ReadonlySet<string>, rule: ExtentRule): Span {
  return yExtent({ ...data, lines: data.lines.filter((line) => tags.has(line.tag)) }, rule);
}

const length = ([lo, hi]: Span): number => hi - lo;
