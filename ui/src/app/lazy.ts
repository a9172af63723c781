/* Parts that the first paint does not need. They load with the first movement of the pointer or the first key, so that they open at
   once, and also when the server has gone. */

export const lazy = {
  icons: () => import("../base/moreIcons"),
  phone: () => import("./PhoneBar.svelte"),
  palette: () => import("./CommandPalette.svelte"),
  keys: () => import("./ShortcutsDialog.svelte"),
  selectMenu: () => import("../widgets/SelectMenu.svelte"),
  toasts: () => import("../widgets/Toasts.svelte"),
  savedViews: () => import("./SavedViewsMenu.svelte"),
  savedViewActions: () => import("./savedViewActions"),
  viewMenu: () => import("./nav/ViewMenu.svelte"),
  viewSheet: () => import("./nav/ViewSheet.svelte"),
  moreMenu: () => import("./nav/MoreMenu.svelte"),
  collapsed: () => import("./runs/CollapsedSidebar.svelte"),
  rename: () => import("./runs/RenameField.svelte"),
  selection: () => import("./runs/SelectionBar.svelte"),
  menu: () => import("./runs/RunMenu.svelte"),
  details: () => import("./runs/Details.svelte"),
  remove: () => import("./runs/DeleteDialog.svelte"),
  noData: () => import("./NoData.svelte"),
  empty: () => import("./Empty.svelte"),
  problem: () => import("./LoadError.svelte"),
};

/** Loads them before the first click, but not before the person does something. */
export function prefetch(): void {
  const load = (): void => {
    for (const name of ["pointermove", "keydown"]) removeEventListener(name, load);
    // What fails here loads again when it is opened, which then reports the error.
    void Promise.allSettled(Object.values(lazy).map((part) => part()));
  };
  for (const name of ["pointermove", "keydown"]) addEventListener(name, load, { passive: true });
}
