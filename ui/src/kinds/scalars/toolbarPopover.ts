/** Content of the toolbar's popover: the export menu, at a button or at the top of the window, or a new chart with some tags selected. */
export type PopoverContent = { anchor: Element | null } | { compose: string[] };
