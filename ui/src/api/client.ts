/* HTTP client. Addresses are relative, so they work below any path prefix. */
import type { BoardInfo, TagList } from "./types";

/** Error response of the server. `message` is for the user. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The server could not be reached. */
export class ConnectionLost extends Error {}

export async function request(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`api/${path}`, init);
  } catch (reason) {
    if (init?.signal?.aborted) throw reason;
    throw new ConnectionLost("Disconnected from the server.", { cause: reason });
  }
  if (!response.ok) throw await readError(response);
  return response;
}

export function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { "Content-Type": "application/json", "X-Lossboard": "1" };
  return request(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

export async function postJson<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await post(path, body, signal)).json() as Promise<T>;
}

export async function getBoard(): Promise<BoardInfo> {
  return (await request("board")).json() as Promise<BoardInfo>;
}

export async function getTags(kind: string, signal?: AbortSignal): Promise<TagList> {
  return (await request(`tags?kind=${encodeURIComponent(kind)}`, { signal })).json() as Promise<TagList>;
}

async function readError(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    return new ApiError(response.status, error.code, error.message);
  } catch {
    return new ApiError(response.status, "unknown", `The server returned ${response.status} ${response.statusText}.`);
  }
}
