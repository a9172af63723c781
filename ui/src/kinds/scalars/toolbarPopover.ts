/** What hangs from the toolbar: the exports, from a button or from the window's edge, or a new card with some tags to begin with. */
export type PopoverContent = { anchor: Element | null } | { compose: string[] };
