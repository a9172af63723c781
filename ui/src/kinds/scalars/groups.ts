/* Tags become cards, and cards stand in groups: by what comes before the first slash, as TensorBoard does it. */

export interface Group {
  id: string;
  title: string;
  tags: string[];
}

export const PINNED = "*pinned";
export const COMPOSED = "*own";
const LOOSE = "no prefix";
/** As many rows of three as one scrolls past without losing what comes after. */
const BULK = 60;

const natural = new Intl.Collator("en", { numeric: true });

export function sortTags(tags: string[]): string[] {
  return [...tags].sort(natural.compare);
}

export function prefixOf(tag: string): string {
  const slash = tag.indexOf("/");
  return slash > 0 ? tag.slice(0, slash) : "";
}

/** `train/loss` as its two inks: what stands before the last word, and the word. */
export function splitTag(tag: string): [prefix: string, name: string] {
  const slash = tag.lastIndexOf("/", tag.length - 2);
  return [tag.slice(0, slash + 1), tag.slice(slash + 1)];
}

/** Sorted tags to groups; before them what is pinned, and the cards composed by hand. `order` lists tags that were moved to the front by hand. */
export function groupTags(sorted: string[], pins: string[], order: string[], composed: string[] = []): Group[] {
  const known = new Set([...sorted, ...composed]);
  const groups = new Map<string, string[]>();
  for (const tag of sorted) {
    const prefix = prefixOf(tag);
    const members = groups.get(prefix);
    if (members) members.push(tag);
    else groups.set(prefix, [tag]);
  }
  const first = [
    { id: PINNED, title: "Pinned", tags: pins.filter((tag) => known.has(tag)) },
    { id: COMPOSED, title: "My cards", tags: arranged(composed, order) },
  ];
  const rest = [...groups].map(([id, tags]) => ({ id, title: id || LOOSE, tags: arranged(tags, order) }));
  return [...first.filter(({ tags }) => tags.length), ...rest];
}

/** Groups so large that they would bury the others, as the heads of a transformer do the loss: they start folded. */
export function bulky(groups: Group[]): Set<string> {
  const large = groups.filter(({ tags }) => tags.length > BULK);
  return new Set(large.length < groups.length ? large.map(({ id }) => id) : []);
}

function arranged(tags: string[], order: string[]): string[] {
  const place = new Map(order.map((tag, i) => [tag, i]));
  if (!tags.some((tag) => place.has(tag))) return tags;
  return [...tags].sort((a, b) => (place.get(a) ?? order.length) - (place.get(b) ?? order.length));
}

/** A card may stand in several groups: pinned, and in its own. */
export const cardIdOf = (group: string, card: string): string => `${group} ${card}`;
