/* Which view is on screen: the one the address names, else the first that has something to show. */
import { view } from "../base/url";
import { views, type ViewEntry } from "../kinds";
import { board } from "./board.svelte";

export function hasData(entry: ViewEntry): boolean {
  return (board.info?.kinds[entry.kind] ?? 0) > 0;
}

export function currentView(): ViewEntry | undefined {
  return views.find((entry) => entry.id === view.id) ?? views.find(hasData) ?? views[0];
}
