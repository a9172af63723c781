/** Widths of the sidebar. Dragging its edge stays between the minimum and the maximum. */
export const SIDEBAR_PX = { minimum: 240, initial: 304, maximum: 560, collapsed: 44 };
