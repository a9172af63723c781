/* Light, dark, or as the system says. Canvas code reads the same tokens as the style sheets, through `token`. */

import { remember } from "../base/storage";

export type Theme = "light" | "dark";

class ThemeState {
  #dark: MediaQueryList | null = null;
  #system = $state<Theme>("light");
  #chosen = $state<Theme | null>(null);
  /** What is on screen now. */
  current = $derived(this.#chosen ?? this.#system);

  constructor() {
    if (typeof window === "undefined") return;
    this.#dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.#dark.addEventListener("change", () => this.#follow());
    this.#follow();
    const set = document.documentElement.dataset.theme;
    if (set === "light" || set === "dark") this.#chosen = set;
  }

  #follow(): void {
    this.#system = this.#dark?.matches ? "dark" : "light";
  }

  toggle(): void {
    // The event that the system changed may still be on its way; what is on screen has changed already.
    this.#follow();
    const next = this.current === "dark" ? "light" : "dark";
    this.#chosen = next === this.#system ? null : next;
    // The attribute changes before anything reads a token again.
    if (this.#chosen) document.documentElement.dataset.theme = this.#chosen;
    else delete document.documentElement.dataset.theme;
    remember("theme", this.#chosen);
  }

  #tokens = $derived.by(() => {
    void this.current;
    const style = getComputedStyle(document.documentElement);
    const seen = new Map<string, string>();
    return (name: string): string => {
      let value = seen.get(name);
      if (value === undefined) seen.set(name, (value = style.getPropertyValue(name).trim()));
      return value;
    };
  });

  /** The value of a token in the theme on screen: `token("--grid")`. Reactive. */
  token(name: string): string {
    return this.#tokens(name);
  }
}

export const theme = new ThemeState();
