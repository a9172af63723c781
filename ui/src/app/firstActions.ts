/* Actions whose keys are also the browser's own. They are there from the start: later, the browser would have opened its search. */
import { flushSync } from "svelte";
import { register } from "../base/actions";
import { open } from "./openDialog.svelte";
import { panel } from "./runs/panel.svelte";

export function firstActions(): () => void {
  const group = "Board";
  return register([
    {
      id: "palette",
      title: "Search or run a command",
      keys: ["Mod+K"],
      group,
      icon: "search",
      run: () => open.togglePalette(),
    },
    {
      id: "runs.filter",
      title: "Filter runs",
      keys: ["/", "Mod+F"],
      group,
      icon: "search",
      enabled: () => document.activeElement !== panel.filter,
      run: focusFilter,
    },
  ]);
}

function focusFilter(): void {
  if (panel.rail) panel.toggleRail();
  // At once, not with the next frame: a letter typed before that would be taken for a shortcut.
  flushSync();
  panel.filter?.select();
}
