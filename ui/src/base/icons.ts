/* Icons of the first screen, 16 px, drawn with a stroke of 1.4 px in the current color. The others load when one is first shown. */
import type { moreIcons } from "./moreIcons";

export const icons = {
  search: '<circle cx="7" cy="7" r="4.25"/><path d="m10.2 10.2 3.3 3.3"/>',
  chev: '<path d="m4.5 6.5 3.5 3.5 3.5-3.5"/>',
  chevr: '<path d="m6.5 4.5 3.5 3.5-3.5 3.5"/>',
  chevl: '<path d="M9.5 4.5 6 8l3.5 3.5"/>',
  pin: '<path d="M6 2.5h4l-.5 4.2 2 1.8v1.3h-7V8.5l2-1.8zM8 9.8v3.7"/>',
  expand: '<path d="M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5 9.3 6.7M2.5 13.5l4.2-4.2"/>',
  more: '<g fill="currentColor" stroke="none"><circle cx="3.5" cy="8" r="1.15"/><circle cx="8" cy="8" r="1.15"/><circle cx="12.5" cy="8" r="1.15"/></g>',
  log: '<path d="M2.5 13.5v-11M2.5 13.5h11M4.5 4c1 5 3 7.5 8.5 8"/>',
  eye: '<path d="M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8z"/><circle cx="8" cy="8" r="1.9"/>',
  half: '<circle cx="8" cy="8" r="5.25"/><path d="M8 2.75a5.25 5.25 0 0 1 0 10.5z" fill="currentColor"/>',
  down: '<path d="M8 2.5v8M4.7 7.5 8 10.8l3.3-3.3M2.5 13.5h11"/>',
  help: '<circle cx="8" cy="8" r="5.75"/><path d="M6.3 6.3a1.7 1.7 0 1 1 2.5 1.5c-.6.3-.8.7-.8 1.3M8 11.2v.1"/>',
  side: '<rect x="2" y="3" width="12" height="10" rx="1.5"/><path d="M6 3v10"/>',
  sliders:
    '<path d="M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6"/><circle cx="10" cy="5" r="1.5"/><circle cx="6" cy="11" r="1.5"/>',
  close: '<path d="m4 4 8 8M12 4l-8 8"/>',
  archive:
    '<rect x="2.5" y="3" width="11" height="3" rx=".8"/><path d="M3.5 6v6.2a.8.8 0 0 0 .8.8h7.4a.8.8 0 0 0 .8-.8V6M6.5 8.8h3"/>',
  note: '<path d="M3 2.8h10v7.2l-3.3 3.3H3zM13 10H9.7v3.3M5.3 5.8h5.4M5.3 8.3h3"/>',
  hide: '<path d="M3.6 5.5C2.4 6.7 1.8 8 1.8 8S4 12.2 8 12.2c1 0 1.9-.3 2.7-.7M6.3 4.1c.5-.2 1.1-.3 1.7-.3 4 0 6.2 4.2 6.2 4.2s-.5 1-1.5 2M2.5 2.5l11 11"/>',
  plus: '<path d="M8 3v10M3 8h10"/>',
  fit: '<path d="M2.5 6v-3.5h3.5M10 2.5h3.5v3.5M13.5 10v3.5H10M6 13.5H2.5V10"/>',
  reset: '<path d="M3 6.5a5.3 5.3 0 1 1-.2 2.7M3 2.8v3.7h3.7"/>',
  newest: '<path d="M8 13.5v-9M4.7 7.8 8 4.5l3.3 3.3M3 2.5h10"/>',
} as const;

export type IconName = keyof typeof icons | keyof typeof moreIcons;
