/* Changes to runs. They are on screen at once, are sent to the server, disappear if it refuses them, and can be undone. */
import { deleteRuns, editRuns, undeleteRuns } from "../../api/changes";
import type { RunEdit, RunRow } from "../../api/types";
import { counted, size } from "../../base/format";
import { toasts } from "../../widgets/toasts.svelte";
import { board } from "../board.svelte";
import { panel } from "./panel.svelte";
import { pushUndo, undo } from "./undo";

/** Changes runs, and returns whether the server saved it. */
export async function edit(runs: readonly RunRow[], change: RunEdit): Promise<boolean> {
  const before = runs.map((run) => ({ run, values: valuesOf(run, change) }));
  const saved = send(runs, change);
  // At once, because the change is on screen: it may be undone before the server has responded.
  const drop = pushUndo(async () => {
    if (await saved) await Promise.all(before.map(({ run, values }) => send([run], values)));
  });
  if (!(await saved)) drop();
  return saved;
}

/** Hides or archives runs. A toast says so, because the rows disappear from under the pointer. */
export async function hideOrArchive(runs: readonly RunRow[], how: "hidden" | "archived"): Promise<void> {
  if (!(await edit(runs, { [how]: true }))) return;
  showUndo(how === "hidden" ? "hide" : "archive", `${nameOrCount(runs)} ${how}`, "The files stay where they are.");
}

export async function remove(runs: readonly RunRow[]): Promise<void> {
  try {
    const token = await deleteRuns(runs.map((run) => run.id));
    pushUndo(() => restore(token));
  } catch (reason) {
    toasts.fail(`Could not delete ${nameOrCount(runs)}`, reason);
    return;
  }
  panel.picked = new Set();
  const bytes = runs.reduce((sum, run) => sum + board.bytes(run.id), 0);
  showUndo("trash", `${nameOrCount(runs)} moved to the trash`, size(bytes));
  await board.reload();
}

async function restore(token: string): Promise<void> {
  try {
    await undeleteRuns(token);
    await board.reload();
  } catch (reason) {
    toasts.fail("Could not restore the runs", reason);
  }
}

async function send(runs: readonly RunRow[], change: RunEdit): Promise<boolean> {
  const ids = runs.map((run) => run.id);
  const settle = board.amend(ids, change);
  try {
    await editRuns(ids, change);
    settle(true);
    return true;
  } catch (reason) {
    settle(false);
    toasts.fail("Could not save the change", reason);
    await board.reload();
    return false;
  }
}

/** Returns what the run has now in the fields of a change. */
function valuesOf(run: RunRow, change: RunEdit): RunEdit {
  return Object.fromEntries(Object.keys(change).map((key) => [key, run[key as keyof RunEdit] ?? null]));
}

function nameOrCount(runs: readonly RunRow[]): string {
  return runs.length === 1 && runs[0] ? board.label(runs[0].id) : counted(runs.length, "run");
}

function showUndo(icon: "hide" | "archive" | "trash", text: string, detail: string): void {
  toasts.show({ icon, text, detail, action: { title: "Undo", run: () => void undo() } });
}
