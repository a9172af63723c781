/* Arithmetic of the header: which tasks fold into one tab, so that it fits at any width without wrapping or scrolling.
   All sizes are CSS pixels. The components take them from here, so that what is drawn is what was counted. */

import { SIDEBAR_PX } from "../runs/sidebarWidth";

export const HEADER_PX = {
  /** Logo and product name, without the logdir. */
  brand: 116,
  /** Brand next to a collapsed sidebar, where it has no column to align with. */
  brandAlone: 200,
  /** Widest brand next to the button that replaces the tabs, however wide the sidebar is. */
  brandWithoutTabs: SIDEBAR_PX.initial,
  sidebarButton: 34,
  /** Padding at the left and right of a tab. */
  tabPadding: 8,
  caret: 22,
  separator: 11,
  /** Arrow of More, with its gap. */
  moreIcon: 16,
  /** Connection state as dot and text. Fixed, so that another text never moves the tabs. */
  state: 108,
  stateDot: 24,
  searchField: 272,
  button: 28,
  /** Right edge, and left of the tabs. */
  margin: 16,
};

export interface TaskTabs {
  task: string;
  /** Widths of its titles. */
  titles: number[];
  /** Width of the title that stands for all of them when the task is folded. */
  folded: number;
  /** How often its views were opened. */
  uses: number;
}

export interface Header {
  width: number;
  isPhone: boolean;
  /** Width of the brand when it is aligned with the sidebar. */
  brand: number;
  hasSidebarButton: boolean;
  /** Width of the title of More, 0 when all views have data. */
  more: number;
  tasks: TaskTabs[];
  /** The task on screen, which never folds. */
  open: string | undefined;
}

export interface HeaderLayout {
  /** Tasks shown as one tab. Null when not even folded tabs fit: one button lists all views instead. */
  folded: ReadonlySet<string> | null;
  brand: number;
  hasStateText: boolean;
  hasSearchField: boolean;
}

/** Tries the full header first, then one with a narrow brand and a dot for the connection state, then one without tabs. */
export function layOutHeader(header: Header): HeaderLayout {
  const withoutTabs = {
    folded: null,
    brand: Math.min(header.brand, HEADER_PX.brandWithoutTabs),
    hasStateText: !header.isPhone,
    hasSearchField: false,
  };
  if (header.isPhone) return withoutTabs;
  return (
    fit(header, header.brand, true) ??
    fit(header, HEADER_PX.brand + (header.hasSidebarButton ? HEADER_PX.sidebarButton : 0), false) ??
    withoutTabs
  );
}

function fit(header: Header, brand: number, hasStateText: boolean): HeaderLayout | null {
  const end = (hasStateText ? HEADER_PX.state : HEADER_PX.stateDot) + 3 * HEADER_PX.button + HEADER_PX.margin;
  const more = header.more && header.more + HEADER_PX.moreIcon + 2 * HEADER_PX.tabPadding + HEADER_PX.separator;
  const room = header.width - brand - HEADER_PX.margin - more - end;
  const folded = foldTasks(header.tasks, header.open, room);
  if (folded === null) return null;
  const spare = room - tabsWidth(header.tasks, folded);
  return { folded, brand, hasStateText, hasSearchField: spare >= HEADER_PX.searchField - HEADER_PX.button };
}

/** Folds the least used tasks first, of equals the last one, until the tabs fit. Null when they never do. */
export function foldTasks(tasks: TaskTabs[], open: string | undefined, room: number): ReadonlySet<string> | null {
  const foldable = tasks
    .filter(({ task, titles }) => titles.length > 1 && task !== open)
    .reverse()
    .sort((a, b) => a.uses - b.uses);
  const folded = new Set<string>();
  while (tabsWidth(tasks, folded) > room) {
    const next = foldable.shift();
    if (!next) return null;
    folded.add(next.task);
  }
  return folded;
}

function tabsWidth(tasks: TaskTabs[], folded: ReadonlySet<string>): number {
  const widths = tasks.map(({ task, titles, folded: title }) =>
    folded.has(task)
      ? title + HEADER_PX.tabPadding + HEADER_PX.caret
      : titles.reduce((sum, title) => sum + title + 2 * HEADER_PX.tabPadding, 0),
  );
  return widths.reduce((sum, width) => sum + width, 0) + HEADER_PX.separator * Math.max(0, tasks.length - 1);
}
