/* What does not change once it is logged: asked for together by the parts on screen, and kept; the oldest are forgotten first. */
import { SvelteMap } from "svelte/reactivity";

const AT_ONCE = 50;

export class FetchCache<Place, Thing extends object> {
  #known = new SvelteMap<string, Thing | Error>();
  #asked = new Map<string, Place>();

  constructor(
    readonly keyOf: (place: Place) => string,
    /** The things at these places, in their order. */
    readonly fetchSome: (places: Place[]) => Promise<Thing[]>,
    readonly mostKept: number,
  ) {}

  of(place: Place): Thing | Error | undefined {
    return this.#known.get(this.keyOf(place));
  }

  /** To be called in an effect. */
  ask(place: Place): void {
    const key = this.keyOf(place);
    if (this.#known.has(key) || this.#asked.has(key)) return;
    if (this.#asked.size === 0) queueMicrotask(() => void this.#fetch());
    this.#asked.set(key, place);
  }

  /** Forgets what could not be had, so that whoever shows it asks again. */
  retry(): void {
    for (const [key, thing] of [...this.#known]) if (thing instanceof Error) this.#known.delete(key);
  }

  async #fetch(): Promise<void> {
    const places = [...this.#asked.values()];
    this.#asked.clear();
    for (let at = 0; at < places.length; at += AT_ONCE) await this.#fetchBatch(places.slice(at, at + AT_ONCE));
    for (const key of [...this.#known.keys()].slice(0, Math.max(0, this.#known.size - this.mostKept)))
      this.#known.delete(key);
  }

  async #fetchBatch(places: Place[]): Promise<void> {
    try {
      const things = await this.fetchSome(places);
      places.forEach((place, i) => this.#known.set(this.keyOf(place), things[i]!));
    } catch (reason) {
      const error = reason instanceof Error ? reason : new Error(String(reason));
      for (const place of places) this.#known.set(this.keyOf(place), error);
    }
  }
}
