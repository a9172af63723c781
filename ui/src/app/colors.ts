/* Assigns a look to each run: one of 12 colors, solid or in one of four dashes. The name decides on the color. If that look is used more
   than another, the run gets the next of the least used ones, solid before dashed. So the first twelve runs never share a color, and
   the first sixty never share a look. A run keeps its look: a new run never changes another's, and looks are remembered for the
   next visit. Only if two of more than sixty runs are visible together and look alike, the newer one gets another look. */

export const COLORS = 12;
/** Lengths of lines and gaps in pixels. base.css draws the same dashes. */
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [7, 3, 2, 3], [5, 2, 2, 2, 2, 2]];
export const LOOKS = COLORS * DASHES.length;

export function dashOf(index: number): readonly number[] {
  return DASHES[index % DASHES.length]!;
}

/** With more runs than this, the names alone decide on the next visit. */
const MOST_REMEMBERED = 5000;

export interface Named {
  id: string;
  name: string;
  start: number | null;
}

/** A look is a number: its color, plus 12 for each dash before its own. */
export class Looks {
  #looks = new Map<string, number>();
  /** How many runs have each look. */
  readonly used = new Array<number>(LOOKS).fill(0);

  constructor(remembered: Iterable<[string, number]> = []) {
    for (const [id, look] of remembered) this.give(id, look);
  }

  of(id: string): number {
    return this.#looks.get(id) ?? 0;
  }

  /** Assigns looks to new runs, the oldest first, so that a logdir looks the same everywhere. Returns whether there were any. */
  add(runs: readonly Named[]): boolean {
    const fresh = runs.filter((run) => !this.#looks.has(run.id));
    fresh.sort((a, b) => (a.start ?? 0) - (b.start ?? 0) || (a.name < b.name ? -1 : 1));
    for (const run of fresh) this.give(run.id, this.#choose(run.name));
    return fresh.length > 0;
  }

  entries(): [string, number][] {
    return [...this.#looks].slice(0, MOST_REMEMBERED);
  }

  #choose(name: string): number {
    const least = Math.min(...this.used);
    const first = this.used.indexOf(least);
    const dashed = first - (first % COLORS);
    let color = hash(name) % COLORS;
    // 7 shares no factor with 12, so every color is tried; similar colors are not assigned one after the other.
    while (this.used[dashed + color] !== least) color = (color + 7) % COLORS;
    return dashed + color;
  }

  give(id: string, look: number): void {
    this.#looks.set(id, look);
    this.used[look]! += 1;
  }
}

/** FNV-1a: short names that differ in one digit land far apart. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return (h ^ (h >>> 15)) >>> 0;
}
