/* Which view is on screen, and which views have data. */
import { view } from "../base/url";
import { pages, type Task, type ViewEntry, views } from "../kinds";
import { board } from "./board.svelte";

export interface TaskViews {
  task: Task;
  views: ViewEntry[];
}

export function hasData(entry: ViewEntry): boolean {
  return board.info !== null && entry.hasData(board.info);
}

/** Returns the view or page that the URL names, else the first view of what was logged. */
export function currentView(): ViewEntry | undefined {
  const named = [...views, ...pages].find((entry) => entry.id === view.id);
  return named ?? views.find((entry) => hasData(entry) && !entry.showsEveryRun) ?? views[0];
}

/** Returns the views with data by task. The first view is among them while there are no runs, so that the header is never empty. */
export function tasksWithData(): TaskViews[] {
  const shown = views.filter((entry, i) => hasData(entry) || (i === 0 && board.runs.length === 0));
  return [...Map.groupBy(shown, ({ task }) => task)].map(([task, views]) => ({ task, views }));
}

export function viewsWithoutData(): ViewEntry[] {
  return views.filter((entry) => !tasksWithData().some(({ views }) => views.includes(entry)));
}

/** Opens a view from its link, unless the click asks for a new browser tab. Returns whether it did. */
export function openFromLink(event: MouseEvent, entry: ViewEntry): boolean {
  return followLink(event, () => (view.id = entry.id));
}

export function followLink(event: MouseEvent, open: () => void): boolean {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return false;
  event.preventDefault();
  open();
  return true;
}

/** Whether it is a page, such as that of a run, and not a view with a tab. */
export function isPage(entry: ViewEntry): boolean {
  return pages.includes(entry);
}
