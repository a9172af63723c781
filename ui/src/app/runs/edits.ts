/* Changes to runs: on screen at once, told to the server, taken back where it refuses, and undone on demand. */
import { deleteRuns, editRuns, undeleteRuns } from "../../api/client";
import type { RunEdit, RunRow } from "../../api/types";
import { counted, size } from "../../base/format";
import { toasts } from "../../widgets/toasts.svelte";
import { board } from "../board.svelte";

/** How to take back what was done, the latest last. */
const undos: (() => Promise<void>)[] = [];

export function canUndo(): boolean {
  return undos.length > 0;
}

export async function undo(): Promise<void> {
  await undos.pop()?.();
}

/** Whether the server has taken it. */
export async function edit(runs: readonly RunRow[], change: RunEdit): Promise<boolean> {
  const before = runs.map((run) => ({ run, back: inverse(run, change) }));
  const sent = send(runs, change);
  // At once: it is on screen already, so a hand may take it back before the server has answered.
  const takeBack = async (): Promise<void> => {
    if (await sent) await Promise.all(before.map(({ run, back }) => send([run], back)));
  };
  undos.push(takeBack);
  if (!(await sent)) undos.splice(undos.indexOf(takeBack), 1);
  return sent;
}

/** Out of sight: hidden or archived. Says so, because the rows are gone from under the pointer. */
export async function hideOrArchive(runs: readonly RunRow[], how: "hidden" | "archived"): Promise<void> {
  if (!(await edit(runs, { [how]: true }))) return;
  const word = how === "hidden" ? "hidden" : "archived";
  toasts.show({
    icon: how === "hidden" ? "hide" : "archive",
    text: `${nameOrCount(runs)} ${runs.length === 1 ? "is" : "are"} ${word}`,
    detail: "The files stay where they are.",
    action: { title: "Undo", run: () => void undo() },
  });
}

export async function remove(runs: readonly RunRow[]): Promise<void> {
  try {
    const token = await deleteRuns(runs.map((run) => run.id));
    undos.push(() => bringBack(token));
  } catch (reason) {
    toasts.fail(`${nameOrCount(runs)} could not be deleted`, reason);
    return;
  }
  const bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  toasts.show({
    icon: "trash",
    text: `${nameOrCount(runs)} ${runs.length === 1 ? "is" : "are"} in the trash`,
    detail: size(bytes),
    action: { title: "Undo", run: () => void undo() },
  });
  await board.reload();
}

async function bringBack(token: string): Promise<void> {
  try {
    await undeleteRuns(token);
    await board.reload();
  } catch (reason) {
    toasts.fail("The runs could not be brought back", reason);
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
    toasts.fail("The change was not saved", reason);
    await board.reload();
    return false;
  }
}

function inverse(run: RunRow, change: RunEdit): RunEdit {
  return Object.fromEntries(Object.keys(change).map((key) => [key, run[key as keyof RunEdit] ?? null]));
}

function nameOrCount(runs: readonly RunRow[]): string {
  return runs.length === 1 && runs[0] ? board.label(runs[0].id) : counted(runs.length, "run");
}
