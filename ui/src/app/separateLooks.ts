import { type Looks, LOOKS } from "./colors";

/** Gives visible runs different looks, if there are enough. The first of runs that look alike keeps its look. Returns whether one changed. */
export function separateLooks(looks: Looks, visible: readonly string[]): boolean {
  if (visible.length > LOOKS) return false;
  const seen = new Set<number>();
  const alike = visible.filter((id) => seen.size === seen.add(looks.of(id)).size);
  for (const id of alike) {
    const free = [...looks.used.keys()].filter((look) => !seen.has(look));
    const look = free.reduce((best, other) => (looks.used[other]! < looks.used[best]! ? other : best));
    seen.add(look);
    looks.used[looks.of(id)]! -= 1;
    looks.give(id, look);
  }
  return alike.length > 0;
}
