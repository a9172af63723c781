/* What the first paint does not need. It is fetched when the hand first moves, so that it opens at once, and opens even when the
   server has gone. */

export const lazy = {
  phone: () => import("./PhoneBar.svelte"),
  palette: () => import("./CommandPalette.svelte"),
  keys: () => import("./ShortcutsDialog.svelte"),
  toasts: () => import("../widgets/Toasts.svelte"),
  views: () => import("./SavedViewsMenu.svelte"),
  menu: () => import("./runs/RunMenu.svelte"),
  details: () => import("./runs/Details.svelte"),
  remove: () => import("./runs/DeleteDialog.svelte"),
  noData: () => import("./NoData.svelte"),
  empty: () => import("./Empty.svelte"),
  problem: () => import("./LoadError.svelte"),
};

/** Before the first click, but not before the hand moves. */
export function prefetch(): void {
  const load = (): void => {
    for (const name of ["pointermove", "keydown"]) removeEventListener(name, load);
    // What fails here is fetched again when it is opened, and that says so.
    void Promise.allSettled([
      lazy.palette(),
      lazy.keys(),
      lazy.toasts(),
      lazy.views(),
      lazy.menu(),
      lazy.details(),
      lazy.remove(),
    ]);
  };
  for (const name of ["pointermove", "keydown"]) addEventListener(name, load, { passive: true });
}
