/* Actions that change the logdir. On a read-only board they say why they cannot. */
import { toasts } from "../widgets/toasts.svelte";
import { board } from "./board.svelte";

export function unlessReadOnly(run: () => void): () => void {
  return () => {
    if (board.info?.writable) run();
    else toasts.fail("Changes cannot be saved", board.info?.why_not);
  };
}
