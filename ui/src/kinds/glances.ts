/* What else was logged at the step that a chart shows, small: each kind of thing gives one component for it. */
import type { Component } from "svelte";

export interface Glance {
  kind: string;
  /** The view that shows more of it. */
  view: string;
  title: string;
  load(): Promise<{ default: Component<{ step: number }> }>;
}

export const glances: Glance[] = [
  { kind: "images", view: "images", title: "Images", load: () => import("./images/Glance.svelte") },
  { kind: "histograms", view: "histograms", title: "Histograms", load: () => import("./histograms/Glance.svelte") },
  { kind: "text", view: "text", title: "Text", load: () => import("./text/Glance.svelte") },
  { kind: "audio", view: "audio", title: "Audio", load: () => import("./audio/Glance.svelte") },
];
