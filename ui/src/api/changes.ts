/* Requests that change the logdir: edits of runs, the trash, saved views. */
import { post, postJson, request } from "./client";
import type { RunEdit, TrashList } from "./types";

export async function editRuns(ids: string[], set: RunEdit): Promise<void> {
  await post("runs/edit", { ids, set });
}

export async function deleteRuns(ids: string[]): Promise<string> {
  return (await postJson<{ undo: string }>("runs/delete", { ids })).undo;
}

export async function undeleteRuns(undo: string): Promise<void> {
  await post("runs/undelete", { undo });
}

export async function getTrash(): Promise<TrashList> {
  return (await request("trash")).json() as Promise<TrashList>;
}

/** Deletes runs of the trash for good. */
export async function removeDeleted(ids: string[]): Promise<void> {
  await post("trash/remove", { undo: ids.join(".") });
}

export async function saveView(name: string, state: string): Promise<void> {
  await post("views/save", { name, state });
}

export async function deleteView(name: string): Promise<void> {
  await post("views/delete", { name });
}
