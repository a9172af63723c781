/* Parts of the shell that load with the first pointer or key event. */
import { recall } from "../base/storage";
import { lazy } from "./lazy";

export { boardActions } from "./boardActions";
export { default as Overlays } from "./Overlays.svelte";
export { runActions } from "./runs/actions";
export { default as RunButtons } from "./runs/RunButtons.svelte";
export { default as SidebarResize } from "./runs/SidebarResize.svelte";
export { default as Toasts } from "../widgets/Toasts.svelte";

/** Loads all other parts before the first click on them. */
export function prefetch(): void {
  // What fails here loads again when it is opened, which then reports the error.
  void Promise.allSettled(Object.values(lazy).map((part) => part()));
  if (recall<boolean>("notify", false)) void import("./findingNotifications.svelte").catch(() => undefined);
}
