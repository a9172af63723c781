/** Keys of the grid. They need the focus to be there. */
import type { Action } from "../../base/actions";
import { board } from "../../app/board.svelte";
import { panel } from "../../app/runs/panel.svelte";
import { showRun } from "../../app/runPage";
import type { Grid } from "./grid.svelte";

const PAGE = 20;
const group = "Table";

export function gridActions(grid: Grid, openMenu: () => void): Action[] {
  const enabled = (): boolean => grid.hasKeys;
  const on = (keys: string[], title: string, run: () => void): Action => ({
    id: `table.${keys[0]}`,
    title,
    keys,
    group: title ? group : undefined,
    enabled,
    run,
  });
  return [
    on(["ArrowDown"], "Next row", () => grid.move(1, 0)),
    on(["ArrowUp"], "", () => grid.move(-1, 0)),
    on(["ArrowRight"], "Next column", () => grid.move(0, 1)),
    on(["ArrowLeft"], "", () => grid.move(0, -1)),
    on(["Shift+ArrowDown"], "Select more rows", () => grid.move(1, 0, true)),
    on(["Shift+ArrowUp"], "", () => grid.move(-1, 0, true)),
    on(["PageDown"], "", () => grid.move(PAGE, 0)),
    on(["PageUp"], "", () => grid.move(-PAGE, 0)),
    on(["Home"], "First column", () => grid.move(0, -Infinity)),
    on(["End"], "", () => grid.move(0, Infinity)),
    on(["Mod+Home"], "First row", () => grid.move(-Infinity, 0)),
    on(["Mod+End"], "", () => grid.move(Infinity, 0)),
    on(["X"], "Select the row, to compare it", () => grid.run !== null && grid.pick(grid.run)),
    on(["Space"], "Show or hide on charts", () => {
      if (grid.run !== null) board.select([grid.run], !board.isSelected(grid.run));
    }),
    on(["Enter"], "Open the run, or the menu of a cell", () => {
      if (grid.columnId === null && grid.run !== null) showRun(grid.run);
      else openMenu();
    }),
    on(["M", "ContextMenu"], "Menu of the run or cell", openMenu),
    {
      ...on(["Escape"], "", () => (panel.picked = new Set())),
      enabled: () => grid.hasKeys && panel.picked.size > 0,
    },
  ];
}
