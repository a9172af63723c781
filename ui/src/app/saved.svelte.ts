/* Saved views: named URL states, stored in the logdir. A URL without a state opens the one called `default`. */
import { go, param, stringify, text } from "../base/url";
import { board } from "./board.svelte";

export const DEFAULT = "default";

const named = param("as", text, DEFAULT);

class Saved {
  /** Name of the open view, which may have been changed since. */
  get name(): string {
    return named.value;
  }

  set name(name: string) {
    named.value = name;
  }

  get all(): string[] {
    const names = Object.keys(board.info?.views ?? {}).filter((name) => name !== DEFAULT);
    return [DEFAULT, ...names.sort()];
  }

  get changed(): boolean {
    return stringify() !== this.stateOf(named.value);
  }

  open(name: string): void {
    go(this.stateOf(name));
  }

  /** Opens the default view if there is one and the URL has no state. */
  start(): void {
    const state = board.info?.views[DEFAULT];
    if (state && location.hash === "") go(state);
  }

  /** URL state of a view. */
  stateOf(name: string): string {
    return board.info?.views[name] ?? "#";
  }
}

export const saved = new Saved();
