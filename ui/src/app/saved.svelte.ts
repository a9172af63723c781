/* Saved views: a link with a name, kept in the sidecar. The one called `default` is what a bare address opens. */
import { deleteView, saveView } from "../api/client";
import { go, link, param, stringify, text } from "../base/url";
import { toasts } from "../widgets/toasts.svelte";
import { board } from "./board.svelte";

export const DEFAULT = "default";

const named = param("as", text, DEFAULT);

class Saved {
  /** The view that is open; it may have been changed since. */
  get name(): string {
    return named.value;
  }

  get all(): string[] {
    const names = Object.keys(board.info?.views ?? {}).filter((name) => name !== DEFAULT);
    return [DEFAULT, ...names.sort()];
  }

  get changed(): boolean {
    return stringify() !== this.#state(named.value);
  }

  open(name: string): void {
    go(this.#state(name));
  }

  async save(name: string): Promise<void> {
    named.value = name;
    const state = stringify();
    try {
      await saveView(name, state);
      await board.reload();
      toasts.show({
        icon: "check",
        text: `Saved as ${name}`,
        detail: "Everyone who opens this logdir has it under View.",
      });
    } catch (reason) {
      toasts.fail("The view was not saved", reason);
    }
  }

  async remove(name: string): Promise<void> {
    const state = this.#state(name);
    try {
      await deleteView(name);
      if (named.value === name) named.value = DEFAULT;
      await board.reload();
      toasts.show({
        icon: "trash",
        text: `The view ${name} is deleted`,
        action: { title: "Undo", run: () => void saveView(name, state).then(() => board.reload()) },
      });
    } catch (reason) {
      toasts.fail("The view was not deleted", reason);
    }
  }

  async copyLink(): Promise<void> {
    const address = link();
    try {
      await navigator.clipboard.writeText(address);
      toasts.show({
        icon: "link",
        text: "Link copied",
        detail: "It shows what you see now to everyone with this logdir.",
      });
    } catch {
      // Without https the clipboard is closed to pages other than localhost's.
      toasts.show({ icon: "link", text: "Copy this link", detail: address });
    }
  }

  /** Nothing in the address: the default view, where somebody saved one. */
  start(): void {
    const state = board.info?.views[DEFAULT];
    if (state && location.hash === "") go(state);
  }

  #state(name: string): string {
    return board.info?.views[name] ?? "#";
  }
}

export const saved = new Saved();
