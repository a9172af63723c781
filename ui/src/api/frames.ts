/* Reader of `application/vnd.lossboard.frames`: parts of a u32 little-endian length and that many bytes. Part 0 is a JSON head,
   each other part an Arrow IPC stream with one table. Not in client.ts, so that only views that need it load the Arrow reader. */
import { readTable, type Table } from "./arrow";
import { post } from "./client";

export type { Table };

export interface Frames<Head> {
  head: Head;
  tables: Table[];
}

export async function postFrames<Head>(path: string, body: unknown, signal?: AbortSignal): Promise<Frames<Head>> {
  return readFrames(await (await post(path, body, signal)).arrayBuffer());
}

export function readFrames<Head>(buffer: ArrayBuffer): Frames<Head> {
  const [head, ...tables] = split(buffer);
  if (!head) throw new Error("The response has no head.");
  return { head: JSON.parse(new TextDecoder().decode(head)) as Head, tables: tables.map(readTable) };
}

function split(buffer: ArrayBuffer): Uint8Array[] {
  const view = new DataView(buffer);
  const parts: Uint8Array[] = [];
  let at = 0;
  while (at < buffer.byteLength) {
    const length = view.getUint32(at, true);
    const end = at + 4 + length;
    if (end > buffer.byteLength)
      throw new Error(
        `The response is incomplete: expected a part of ${length} bytes, got ${buffer.byteLength - at - 4}.`,
      );
    // A copy, because Arrow columns can be read in place only if they start at a multiple of 8.
    parts.push(new Uint8Array(buffer.slice(at + 4, end)));
    at = end;
  }
  return parts;
}
