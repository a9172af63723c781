/* Assigns one of the 12 palette slots to each run. The name decides; if that slot is used more than another, the next of the least
   used ones, so that the first twelve runs never share a color. A run keeps its slot: a new run never changes another's color, and
   the slots are remembered for the next visit. */

export const SLOTS = 12;
/** With more runs than this, the names alone decide on the next visit. */
const MOST_REMEMBERED = 5000;

export interface Named {
  id: string;
  name: string;
  start: number | null;
}

export class Slots {
  #slots = new Map<string, number>();
  #used = new Array<number>(SLOTS).fill(0);

  constructor(remembered: Iterable<[string, number]> = []) {
    for (const [id, slot] of remembered) this.#give(id, slot);
  }

  of(id: string): number {
    return this.#slots.get(id) ?? 0;
  }

  /** Assigns slots to new runs, the oldest first, so that a logdir looks the same everywhere. Returns whether there were any. */
  add(runs: readonly Named[]): boolean {
    const fresh = runs.filter((run) => !this.#slots.has(run.id));
    fresh.sort((a, b) => (a.start ?? 0) - (b.start ?? 0) || (a.name < b.name ? -1 : 1));
    for (const run of fresh) this.#give(run.id, this.#choose(run.name));
    return fresh.length > 0;
  }

  entries(): [string, number][] {
    return [...this.#slots].slice(0, MOST_REMEMBERED);
  }

  #choose(name: string): number {
    const least = Math.min(...this.#used);
    let slot = hash(name) % SLOTS;
    // 7 shares no factor with 12, so every slot is tried; similar colors are not assigned one after the other.
    while (this.#used[slot] !== least) slot = (slot + 7) % SLOTS;
    return slot;
  }

  #give(id: string, slot: number): void {
    this.#slots.set(id, slot);
    this.#used[slot] = (this.#used[slot] ?? 0) + 1;
  }
}

/** FNV-1a: short names that differ in one digit land far apart. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return (h ^ (h >>> 15)) >>> 0;
}
