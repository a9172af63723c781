/* Order of the charts: losses and main metrics first, by the rule of app/mainMetrics.ts. A chart keeps its place until the page loads again. */
import { isDetail, rankOf } from "../../app/mainMetrics";
import { type Group, prefixOf } from "./groups";

/** A larger group of details starts collapsed. */
const MAX_DETAILS = 6;

let placed: string[] = [];

/** Returns the tags in the order of their charts: groups by their most important tag, and the tags of a group by their own
    importance. Tags that appear later come last, so that they move no chart. While a logdir loads, all are `unsettled`. */
export function mainFirst(sorted: string[], unsettled: boolean): string[] {
  const known = new Set(sorted);
  const kept = unsettled ? [] : placed.filter((tag) => known.has(tag));
  const keptSet = new Set(kept);
  const fresh = sorted.filter((tag) => !keptSet.has(tag));
  return (placed = [...kept, ...byImportance(fresh)]);
}

export function byImportance(sorted: string[]): string[] {
  const ranks = new Map(sorted.map((tag) => [tag, rankOf(tag)]));
  const best = new Map<string, number>();
  for (const [tag, rank] of ranks) best.set(prefixOf(tag), Math.min(best.get(prefixOf(tag)) ?? Infinity, rank));
  const order = (tag: string): number => 10 * best.get(prefixOf(tag))! + ranks.get(tag)!;
  // Groups of equal importance stay apart, because sorting keeps their alphabetical order within a rank and grouping joins them.
  return [...sorted].sort((a, b) => order(a) - order(b));
}

/** Returns the groups of nothing but details, which start collapsed. */
export function detailGroups(groups: Group[]): string[] {
  const details = groups.filter(({ tags }) => tags.length > MAX_DETAILS && tags.every(isDetail));
  return details.length < groups.length ? details.map(({ id }) => id) : [];
}
