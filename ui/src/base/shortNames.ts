/* Shortening of long names: what names share, and names of a limited length for drawings. Loaded for long names only.
   HTML cuts the same parts with MiddleEllipsis.svelte. */
import { nameParts, type SharedEnds } from "./nameParts";

/** Returns what each name shares with all other names that begin with the same word. Only whole words and numbers are shared. */
export function sharedEnds(names: Iterable<string>): Map<string, SharedEnds> {
  const groups = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const word = /^[a-z\d]*/i.exec(name)![0];
    const group = groups.get(word);
    if (group) group.push(name);
    else groups.set(word, [name]);
  }
  const ends = new Map<string, SharedEnds>();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const first = group[0]!;
    // The names are different, so the loops end.
    let [head, tail] = [0, 0];
    while (group.every((name) => name[head] === first[head])) head++;
    while (group.every((name) => name.at(-1 - tail) === first.at(-1 - tail))) tail++;
    head = first.slice(0, head).replace(/[a-z\d.]*$/i, "").length;
    tail = first.slice(first.length - tail).replace(/^[a-z\d.]*/i, "").length;
    for (const name of group) ends.set(name, [head, tail]);
  }
  return ends;
}

const MIN_HEAD = 3;

/** Returns a name of at most `max` characters: cuts the shared end first, then the shared beginning, then what differs. */
export function shortenName(name: string, ends: SharedEnds | undefined, max: number): string {
  let excess = name.length - max;
  const cut = (part: string, min: number): string => {
    const length = Math.max(min, part.length - excess - 1);
    if (excess <= 0 || part.length <= length + 1) return part;
    excess -= part.length - length - 1;
    return `${part.slice(0, length)}…`;
  };
  const [head, start, end, tail] = nameParts(name, ends);
  const shortTail = cut(tail, 0);
  const shortHead = cut(head, MIN_HEAD);
  const shortStart = cut(start, 0);
  return shortHead + shortStart + cut(end, 0) + shortTail;
}
