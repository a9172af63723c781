/* Parts that the first paint does not need. The first pointer or key event loads them all, so that they open at once, and also when the
   server has gone. */

export const lazy = {
  interactive: () => import("./interactive"),
  icons: () => import("../base/moreIcons"),
  palette: () => import("./CommandPalette.svelte"),
  keys: () => import("./ShortcutsDialog.svelte"),
  trash: () => import("./runs/TrashDialog.svelte"),
  saveView: () => import("./SaveViewDialog.svelte"),
  phone: () => import("./PhoneBar.svelte"),
  selectMenu: () => import("../widgets/SelectMenu.svelte"),
  savedViews: () => import("./SavedViewsMenu.svelte"),
  savedViewActions: () => import("./savedViewActions"),
  viewMenu: () => import("./nav/ViewMenu.svelte"),
  viewSheet: () => import("./nav/ViewSheet.svelte"),
  moreMenu: () => import("./nav/MoreMenu.svelte"),
  collapsed: () => import("./runs/CollapsedSidebar.svelte"),
  findings: () => import("./runs/FindingsMark.svelte"),
  rename: () => import("./runs/RenameField.svelte"),
  selection: () => import("./runs/SelectionBar.svelte"),
  menu: () => import("./runs/RunMenu.svelte"),
  details: () => import("./runs/Details.svelte"),
  remove: () => import("./runs/DeleteDialog.svelte"),
  noData: () => import("./NoData.svelte"),
  empty: () => import("./Empty.svelte"),
  problem: () => import("./LoadError.svelte"),
};
