/* Light or dark: the chosen theme, else the system's. Canvas code reads the same tokens as the style sheets, through `token`. */
import { remember } from "../base/storage";

export type Theme = "light" | "dark";

class ThemeState {
  #dark: MediaQueryList | null = null;
  #system = $state<Theme>("light");
  #chosen = $state<Theme | null>(null);
  /** The theme on screen. */
  current = $derived(this.#chosen ?? this.#system);

  constructor() {
    if (typeof window === "undefined") return;
    const { chosen } = document.documentElement.dataset;
    if (chosen === "light" || chosen === "dark") this.#chosen = chosen;
    this.#dark = matchMedia("(prefers-color-scheme: dark)");
    this.#dark.addEventListener("change", () => this.#followSystem());
    this.#followSystem();
  }

  #followSystem(): void {
    this.#system = this.#dark?.matches ? "dark" : "light";
    this.#apply();
  }

  /** Changes the attribute before anything reads a token again. */
  #apply(): void {
    document.documentElement.dataset.theme = this.current;
  }

  toggle(): void {
    // The event of a change of the system's theme may still be on its way.
    this.#followSystem();
    const next = this.current === "dark" ? "light" : "dark";
    this.#chosen = next === this.#system ? null : next;
    this.#apply();
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

  /** Returns the value of a token in the theme on screen: `token("--grid")`. Reactive. */
  token(name: string): string {
    return this.#tokens(name);
  }
}

export const theme = new ThemeState();
