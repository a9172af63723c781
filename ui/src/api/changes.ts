/* Requests that change the logdir: edits of runs, the trash, saved views. */
import { post, postJson } from "./client";
import type { RunEdit } from "./types";

export async function editRuns(ids: string[], set: RunEdit): Promise<void> {
  await post("runs/edit", { ids, set });
}

export async function deleteRuns(ids: string[]): Promise<string> {
  return (await postJson<{ undo: string }>("runs/delete", { ids })).undo;
}

export async function undeleteRuns(undo: string): Promise<void> {
  await post("runs/undelete", { undo });
}

export async function saveView(name: string, state: string): Promise<void> {
  await post("views/save", { name, state });
}

export async function deleteView(name: string): Promise<void> {
  await post("views/delete", { name });
}
