/* Undo of changes to runs. */

/** How to undo each change, the latest last. */
const undos: (() => Promise<void>)[] = [];

export function canUndo(): boolean {
  return undos.length > 0;
}

export async function undo(): Promise<void> {
  await undos.pop()?.();
}

/** Remembers how to undo a change. Call the returned function if the change failed. */
export function pushUndo(revert: () => Promise<void>): () => void {
  undos.push(revert);
  return () => void undos.splice(undos.indexOf(revert), 1);
}
