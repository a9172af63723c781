/* The way to a node: which boxes have to be open to see it. */
import type { GraphItem, GraphScope } from "../../api/types";
import { isOpenable } from "./picture";

export interface Place {
  /** Path of the box that shows the node. */
  path: string;
  /** Canonical paths of the boxes around it. */
  opened: string[];
  /** Which of equal blocks it is in, by box. */
  members: Record<string, number>;
}

/** Walks from the root to the node through the scopes, which are fetched as needed. */
export async function findPlace(target: string, fetch: (path: string) => Promise<GraphScope>): Promise<Place> {
  const place: Place = { path: target, opened: [], members: {} };
  let canonical = (path: string): string => path;
  for (let at = ""; ;) {
    const scope = await fetch(at);
    const found = scope.items.flatMap((item) => stepInto(item, target) ?? [])[0];
    if (!found) return place;
    const { item, member, path } = found;
    const own = canonical(item.path);
    place.path = item.path;
    if (member > 0) place.members[own] = member;
    if (!isOpenable(item) || (!target.startsWith(`${path}/`) && member === 0)) return place;
    if (!target.startsWith(`${path}/`)) return { ...place, path: item.path };
    place.opened.push(own);
    const outer = canonical;
    canonical = (other) => (other.startsWith(`${path}/`) ? own + other.slice(path.length) : outer(other));
    at = path;
  }
}

/** Returns the item if it is the node or holds it, with the one of its members that does. */
function stepInto(item: GraphItem, target: string): { item: GraphItem; member: number; path: string } | null {
  const members = item.members ?? [item.path];
  const member = members.findIndex((path) => target === path || target.startsWith(`${path}/`));
  if (member >= 0) return { item, member, path: members[member]! };
  // A scope that is merged with its only child has no box of its own.
  const isMerged = (target === item.outer || target.startsWith(`${item.outer}/`)) && item.path.startsWith(`${target}/`);
  return isMerged || target === item.outer ? { item, member: 0, path: item.path } : null;
}
