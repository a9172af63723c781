/** Theme of everything that draws, shared by all views. Reactive: it changes with light and dark. */
import { theme } from "../app/theme.svelte";
import { makeTheme, type Theme } from "../charts/theme";

const current = $derived(makeTheme((name) => theme.token(name)));

export function chartTheme(): Theme {
  return current;
}
