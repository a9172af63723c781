/* Actions on runs, for shortcuts and the command palette. Those of the list need the keyboard focus to be there. */
import { type Action, describe, provide, register } from "../../base/actions";
import { board } from "../board.svelte";
import { open } from "../openDialog.svelte";
import { showRun } from "../runPage";
import { unlessReadOnly } from "../readOnly";
import { canUndo, undo } from "./undo";
import { panel } from "./panel.svelte";
import type { RunRow } from "../../api/types";

const MOST_FOUND = 8;

export function runActions(): () => void {
  const stops = [register([...always(), ...onList()]), describe(GESTURES), provide({ group: "Runs", find })];
  return () => stops.forEach((stop) => stop());
}

const GESTURES = [
  { group: "Runs", title: "Show only this run", how: "double-click its box" },
  { group: "Runs", title: "Select a range, one more", how: "⇧ click, Ctrl click" },
  { group: "Runs", title: "Menu", how: "right click" },
  { group: "Runs", title: "Width of the sidebar", how: "drag its edge" },
];

/** Actions that work at any time. */
function always(): Action[] {
  return [
    {
      id: "runs.fold",
      title: "Collapse or expand sidebar",
      also: "hide runs panel selector",
      keys: ["B"],
      group: "Board",
      icon: "side",
      run: () => panel.toggleRail(),
    },
    {
      id: "runs.all",
      title: "Show all runs",
      also: "select",
      keys: ["A"],
      group: "Runs",
      icon: "runs",
      run: () => board.selectAll(),
    },
    {
      id: "runs.follow",
      title: "Show only the latest run",
      also: "follow newest",
      keys: ["N"],
      group: "Runs",
      icon: "newest",
      run: () => (board.following = !board.following),
    },
    {
      id: "runs.trash",
      title: "Trash: restore deleted runs…",
      also: "undelete",
      group: "Runs",
      icon: "trash",
      run: () => (open.page = "trash"),
    },
    {
      id: "runs.undo",
      title: "Undo",
      keys: ["Mod+Z"],
      group: "Runs",
      icon: "undo",
      enabled: canUndo,
      run: () => void undo(),
    },
  ];
}

/** Actions that need the focus on the list. */
function onList(): Action[] {
  const group = "Runs";
  const enabled = (): boolean => panel.hasKeys && panel.renaming === null;
  const targets = (): RunRow[] => (panel.line ? panel.targets(panel.line) : []);
  return [
    { id: "runs.next", title: "Next run", keys: ["ArrowDown"], group, enabled, run: () => step(1, false) },
    { id: "runs.previous", title: "Previous run", keys: ["ArrowUp"], group, enabled, run: () => step(-1, false) },
    {
      id: "runs.more",
      title: "Select more",
      keys: ["Shift+ArrowDown"],
      group,
      enabled,
      run: () => step(1, true),
    },
    {
      id: "runs.less",
      title: "Select more, upwards",
      keys: ["Shift+ArrowUp"],
      group,
      enabled,
      run: () => step(-1, true),
    },
    { id: "runs.page", title: "Page down, up", keys: ["PageDown"], group, enabled, run: () => step(20, false) },
    { id: "runs.pageup", title: "", keys: ["PageUp"], enabled, run: () => step(-20, false) },
    { id: "runs.first", title: "", keys: ["Home"], enabled, run: () => step(-Infinity, false) },
    { id: "runs.last", title: "", keys: ["End"], enabled, run: () => step(Infinity, false) },
    {
      id: "runs.open",
      title: "Expand, collapse folder or group",
      keys: ["ArrowRight"],
      group,
      enabled,
      run: () => foldAt(true),
    },
    { id: "runs.close", title: "", keys: ["ArrowLeft"], enabled, run: () => foldAt(false) },
    {
      id: "runs.toggle",
      title: "Show or hide on charts",
      keys: ["Space"],
      group,
      enabled,
      run: () => toggle(targets()),
    },
    { id: "runs.only", title: "Show only this run", keys: ["Enter"], group, enabled, run: () => only(targets()) },
    {
      id: "runs.page",
      title: "Open page of the run",
      keys: ["O"],
      group,
      enabled,
      run: () => targets()[0] && showRun(targets()[0]!.id),
    },
    {
      id: "runs.rename",
      title: "Rename",
      keys: ["F2"],
      group,
      enabled,
      run: unlessReadOnly(() => (panel.renaming = targets()[0]?.id ?? null)),
    },
    {
      id: "runs.delete",
      title: "Delete",
      keys: ["Backspace", "Delete"],
      group,
      enabled,
      run: unlessReadOnly(() => (panel.asked = { what: "delete", runs: targets() })),
    },
    { id: "runs.menu", title: "Menu of the run", keys: ["M", "ContextMenu"], group, enabled, run: openMenu },
    {
      id: "runs.none",
      title: "",
      keys: ["Escape"],
      enabled: () => panel.picked.size > 0,
      run: () => (panel.picked = new Set()),
    },
  ];
}

/** Moves the focus by this many rows. With `extend`, selects the rows in between. */
function step(by: number, extend: boolean): void {
  const from = panel.lines.findIndex((line) => line.key === panel.at);
  const key = panel.lines[Math.max(0, Math.min(panel.lines.length - 1, from + by))]?.key;
  if (key === undefined) return;
  if (extend) panel.selectTo(key);
  panel.at = key;
  panel.reveal(key);
}

function toggle(runs: RunRow[]): void {
  const ids = runs.map((run) => run.id);
  board.select(ids, !ids.every((id) => board.isSelected(id)));
}

function only(runs: RunRow[]): void {
  const [first] = runs;
  if (runs.length === 1 && first) board.isolate(first.id);
  else board.selectOnly(runs.map((run) => run.id));
}

function foldAt(open: boolean): void {
  if (panel.line && panel.line.type !== "run") panel.fold(panel.line.key, open);
}

function openMenu(): void {
  const line = panel.line;
  const row = line && document.getElementById(`run-${line.key}`);
  if (line && row) panel.menu = { runs: panel.targets(line), anchor: row };
}

/** Finds runs for the command palette. Choosing one shows only that run. */
function find(words: string): Action[] {
  if (words === "") return [];
  const parts = words.toLowerCase().split(/\s+/);
  const found: Action[] = [];
  for (const run of board.runs) {
    const name = board.label(run.id);
    const lower = `${name} ${run.name}`.toLowerCase();
    if (!parts.every((part) => lower.includes(part))) continue;
    found.push({
      id: `run.${run.id}`,
      title: name,
      icon: "eye",
      hint: "show only this run",
      run: () => board.selectOnly([run.id]),
    });
    if (found.length === MOST_FOUND) break;
  }
  return found;
}
