/* What this browser remembers between visits. With storage switched off or full, everything works and nothing is remembered. */

const PREFIX = "lossboard.";

/** Returns a remembered value, else `initial`. */
export function recall<T>(name: string, initial: T): T {
  try {
    return (JSON.parse(localStorage.getItem(PREFIX + name) ?? "null") as T | null) ?? initial;
  } catch {
    return initial; // storage is off, or the text is not ours
  }
}

/** Remembers a value; null forgets it. */
export function remember(name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Storage is off or full: the value lasts as long as the page.
  }
}
