/* `application/vnd.lossboard.frames`: parts of u32 little-endian length + bytes. Part 0 is a JSON head, the others are Arrow
   IPC streams of one table each. Apart from client.ts so that the Arrow reader loads with the first view that needs it. */
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
  if (!head) throw new Error("The answer has no head.");
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
      throw new Error(`The answer is cut: a part of ${length} bytes has only ${buffer.byteLength - at - 4}.`);
    // A copy, because Arrow's columns must begin at multiples of 8 to be read in place.
    parts.push(new Uint8Array(buffer.slice(at + 4, end)));
    at = end;
  }
  return parts;
}
