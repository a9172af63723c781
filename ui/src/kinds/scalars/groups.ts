/* Groups of charts by the part of their tags before the first slash, as in TensorBoard. */

export interface Group {
  id: string;
  title: string;
  tags: string[];
}

export const PINNED = "*pinned";
export const CUSTOM = "*own";
const NO_PREFIX = "no prefix";
/** Larger groups would hide those below them. */
const BULK = 60;

const natural = new Intl.Collator("en", { numeric: true });

export function sortTags(tags: string[]): string[] {
  return [...tags].sort(natural.compare);
}

export function prefixOf(tag: string): string {
  const slash = tag.indexOf("/");
  return slash > 0 ? tag.slice(0, slash) : "";
}

/** Splits `train/loss` into `train/` and `loss`. */
export function splitTag(tag: string): [prefix: string, name: string] {
  const slash = tag.lastIndexOf("/", tag.length - 2);
  return [tag.slice(0, slash + 1), tag.slice(slash + 1)];
}

/** Groups sorted tags. Pinned and custom charts come first. `order` lists tags that the user moved to the front of their groups. */
export function groupTags(sorted: string[], pins: string[], order: string[], custom: string[] = []): Group[] {
  const known = new Set([...sorted, ...custom]);
  const groups = new Map<string, string[]>();
  for (const tag of sorted) {
    const prefix = prefixOf(tag);
    const members = groups.get(prefix);
    if (members) members.push(tag);
    else groups.set(prefix, [tag]);
  }
  const first = [
    { id: PINNED, title: "Pinned", tags: pins.filter((tag) => known.has(tag)) },
    { id: CUSTOM, title: "My charts", tags: arranged(custom, order) },
  ];
  const rest = [...groups].map(([id, tags]) => ({ id, title: id || NO_PREFIX, tags: arranged(tags, order) }));
  return [...first.filter(({ tags }) => tags.length), ...rest];
}

/** Returns the groups that start collapsed, because they would push the others far down. */
export function bulky(groups: Group[]): Set<string> {
  const large = groups.filter(({ tags }) => tags.length > BULK);
  return new Set(large.length < groups.length ? large.map(({ id }) => id) : []);
}

function arranged(tags: string[], order: string[]): string[] {
  const place = new Map(order.map((tag, i) => [tag, i]));
  if (!tags.some((tag) => place.has(tag))) return tags;
  return [...tags].sort((a, b) => (place.get(a) ?? order.length) - (place.get(b) ?? order.length));
}

/** A chart may be in several groups: its own, and Pinned. */
export const cardIdOf = (group: string, card: string): string => `${group} ${card}`;
