/* What can be done with saved views: save, delete, copy a link. */
import { deleteView, saveView } from "../api/changes";
import { link, stringify } from "../base/url";
import { toasts } from "../widgets/toasts.svelte";
import { board } from "./board.svelte";
import { DEFAULT, saved } from "./saved.svelte";

export async function saveAs(name: string): Promise<void> {
  saved.name = name;
  const state = stringify();
  try {
    await saveView(name, state);
    await board.reload();
    toasts.show({
      icon: "check",
      text: `Saved as ${name}`,
      detail: "Everyone who opens this logdir finds it under View.",
    });
  } catch (reason) {
    toasts.fail("Could not save the view", reason);
  }
}

export async function remove(name: string): Promise<void> {
  const state = saved.stateOf(name);
  try {
    await deleteView(name);
    if (saved.name === name) saved.name = DEFAULT;
    await board.reload();
    toasts.show({
      icon: "trash",
      text: `Deleted the view ${name}`,
      action: { title: "Undo", run: () => void saveView(name, state).then(() => board.reload()) },
    });
  } catch (reason) {
    toasts.fail("Could not delete the view", reason);
  }
}

export async function copyLink(): Promise<void> {
  const address = link();
  try {
    await navigator.clipboard.writeText(address);
    toasts.show({ icon: "link", text: "Link copied", detail: "It shows others with this logdir what you see now." });
  } catch {
    // Browsers allow the clipboard only with HTTPS or on localhost.
    toasts.show({ icon: "link", text: "Copy this link", detail: address });
  }
}
