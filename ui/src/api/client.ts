/* Questions to the server. Addresses are relative, so that they hold below any path prefix. */
import type { BoardInfo, RunEdit, TagRow } from "./types";

/** The server answered, and said no; `message` is for people. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Nobody answered. */
export class ConnectionLost extends Error {}

export async function ask(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`api/${path}`, init);
  } catch (reason) {
    if (init?.signal?.aborted) throw reason;
    throw new ConnectionLost("The server does not answer.", { cause: reason });
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

export function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { "Content-Type": "application/json", "X-Lossboard": "1" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

export async function getBoard(): Promise<BoardInfo> {
  return (await ask("board")).json() as Promise<BoardInfo>;
}

export async function getTags(kind: string): Promise<{ cursor: number; tags: TagRow[] }> {
  return (await ask(`tags?kind=${encodeURIComponent(kind)}`)).json() as Promise<{ cursor: number; tags: TagRow[] }>;
}

export async function editRuns(ids: string[], set: RunEdit): Promise<void> {
  await post("runs/edit", { ids, set });
}

export async function deleteRuns(ids: string[]): Promise<string> {
  const { undo } = (await (await post("runs/delete", { ids })).json()) as { undo: string };
  return undo;
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

async function refusal(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    return new ApiError(response.status, error.code, error.message);
  } catch {
    return new ApiError(response.status, "unknown", `The server answered ${response.status} ${response.statusText}.`);
  }
}
