/* Actions that the views with one large picture at a step have in common. */
import { cursor } from "../app/cursor.svelte";
import type { Action } from "../base/actions";

interface Picture {
  /** Begin of the ids of the actions. */
  id: string;
  group: string;
  /** What the list next to the picture has: `class`. */
  item: string;
  /** Shows the next item, or with -1 the previous one. */
  move(by: 1 | -1): void;
  resetZoom(): void;
}

export function pictureActions({ id, group, item, move, resetZoom }: Picture): Action[] {
  return [
    { id: `${id}.next`, title: `Next ${item}`, keys: ["J"], group, run: () => move(1) },
    { id: `${id}.previous`, title: `Previous ${item}`, keys: ["K"], group, run: () => move(-1) },
    { id: `${id}.fit`, title: "Reset zoom", keys: ["0"], group, icon: "fit", run: resetZoom },
    unpinAction(id, group),
  ];
}

export function unpinAction(id: string, group: string): Action {
  return {
    id: `${id}.unpin`,
    title: "Clear pinned step",
    keys: ["Escape"],
    group,
    enabled: () => cursor.pinned !== null,
    run: () => (cursor.pinned = null),
  };
}
