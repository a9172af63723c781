import { expect, test } from "vitest";
import { foldTasks, HEADER_PX, layOutHeader, type TaskTabs } from "./headerLayout";

/** The fourteen planned views; a letter is about 6.5 px wide. */
const TASKS = {
  Compare: ["Charts", "Table", "HParams", "PR curves"],
  Samples: ["Images", "Audio", "Text", "Meshes"],
  Model: ["Histograms", "Embeddings", "Attention", "Graph", "Tensors"],
  System: ["Profile"],
};
/** A generous guess: title, arrow and padding. */
const VIEW_BUTTON_PX = 140;
const widthOf = (title: string): number => 6.5 * title.length;

const tabs = (uses: Partial<Record<keyof typeof TASKS, number>> = {}): TaskTabs[] =>
  Object.entries(TASKS).map(([task, titles]) => ({
    task,
    titles: titles.map(widthOf),
    folded: widthOf(titles[0]!),
    uses: uses[task as keyof typeof TASKS] ?? 0,
  }));

const header = (width: number, change: Partial<Parameters<typeof layOutHeader>[0]> = {}) => ({
  width,
  isPhone: false,
  brand: 304,
  hasSidebarButton: true,
  more: 0,
  tasks: tabs(),
  open: "Compare",
  ...change,
});

/** Adds up what the components draw. */
function drawnWidth(width: number, change: Partial<Parameters<typeof layOutHeader>[0]> = {}): number {
  const given = header(width, change);
  const layout = layOutHeader(given);
  if (layout.folded === null)
    return layout.brand + VIEW_BUTTON_PX + HEADER_PX.state + 3 * HEADER_PX.button + 2 * HEADER_PX.margin;
  const padding = 2 * HEADER_PX.tabPadding;
  const ofTask = ({ task, titles, folded }: TaskTabs): number =>
    layout.folded?.has(task)
      ? folded + HEADER_PX.tabPadding + HEADER_PX.caret
      : titles.reduce((sum, title) => sum + title + padding, 0);
  const separators = given.tasks.length - 1 + (given.more ? 1 : 0);
  return (
    layout.brand +
    given.tasks.reduce((sum, task) => sum + ofTask(task), 0) +
    separators * HEADER_PX.separator +
    (given.more && given.more + HEADER_PX.moreIcon + padding) +
    (layout.hasStateText ? HEADER_PX.state : HEADER_PX.stateDot) +
    (layout.hasSearchField ? HEADER_PX.searchField : HEADER_PX.button) +
    2 * HEADER_PX.button
  );
}

test("the least used task folds first, of equals the last one with several tabs", () => {
  expect(foldTasks(tabs(), "Compare", 850)).toEqual(new Set(["Model"]));
  expect(foldTasks(tabs({ Model: 3 }), "Compare", 850)).toEqual(new Set(["Samples"]));
  expect(foldTasks(tabs({ Model: 3 }), "Compare", 700)).toEqual(new Set(["Samples", "Model"]));
});

test("nothing folds while all tabs fit", () => {
  expect(foldTasks(tabs(), "Compare", 2000)).toEqual(new Set());
});

test("the open task never folds, nor does a task with one tab", () => {
  expect(foldTasks(tabs({ Model: 0, Compare: 9, Samples: 9 }), "Model", 850)).not.toContain("Model");
  for (let room = 2000; room > 0; room -= 10) expect(foldTasks(tabs(), "Compare", room) ?? []).not.toContain("System");
});

test("tabs that do not fit even when folded give way to one button", () => {
  expect(foldTasks(tabs(), "Compare", 300)).toBeNull();
  expect(layOutHeader(header(721, { open: "Model" })).folded).toBeNull();
});

test("phones have one button and a dot", () => {
  expect(layOutHeader(header(720, { isPhone: true }))).toMatchObject({ folded: null, hasStateText: false });
});

test("at 1280 px all but one task show their tabs, and the brand stays aligned with the sidebar", () => {
  expect(layOutHeader(header(1280))).toMatchObject({ folded: new Set(["Model"]), brand: 304, hasStateText: true });
});

test("few tabs leave the search its field", () => {
  const few = tabs().slice(0, 1);
  expect(layOutHeader(header(1280, { tasks: few })).hasSearchField).toBe(true);
  expect(layOutHeader(header(1440)).hasSearchField).toBe(false);
});

test.each(Object.keys(TASKS))("with %s open the header fits at every width from 721 to 2560 px", (open) => {
  for (let width = 721; width <= 2560; width += 1) {
    for (const change of [{ open }, { open, more: 40 }, { open, brand: 560 }, { open, hasSidebarButton: false }])
      expect(drawnWidth(width, change), `${width} px, ${JSON.stringify(change)}`).toBeLessThanOrEqual(width);
  }
});
