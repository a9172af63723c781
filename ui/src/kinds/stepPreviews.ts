/* Previews of media at a step, shown below the charts. Each kind has one component. */
import type { Component } from "svelte";

export interface StepPreview {
  kind: string;
  /** The tab with all of it. */
  view: string;
  title: string;
  load(): Promise<{ default: Component<{ step: number }> }>;
}

export const stepPreviews: StepPreview[] = [
  { kind: "images", view: "images", title: "Images", load: () => import("./images/StepPreview.svelte") },
  {
    kind: "histograms",
    view: "histograms",
    title: "Histograms",
    load: () => import("./histograms/StepPreview.svelte"),
  },
  { kind: "text", view: "text", title: "Text", load: () => import("./text/StepPreview.svelte") },
  { kind: "audio", view: "audio", title: "Audio", load: () => import("./audio/StepPreview.svelte") },
];
