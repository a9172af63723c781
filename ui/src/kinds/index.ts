/* The views, in the order of the tabs. The shell knows a view only by its entry here; its code loads when it is first opened. */
import type { Component } from "svelte";

export interface ViewEntry {
  /** The word in the address. */
  id: string;
  title: string;
  /** The kind of data that it shows: it has a tab where the logdir holds some. */
  kind: string;
  load(): Promise<{ default: Component }>;
  /** Lines that log such data, shown under More where there is none. */
  hint: string;
}

export const views: ViewEntry[] = [
  {
    id: "charts",
    title: "Charts",
    kind: "scalars",
    load: () => import("./scalars/View.svelte"),
    hint: 'log.add_scalar("train/loss", loss, step)',
  },
  {
    id: "images",
    title: "Images",
    kind: "images",
    load: () => import("./images/View.svelte"),
    hint: 'log.add_image("samples", image, step)',
  },
  {
    id: "histograms",
    title: "Histograms",
    kind: "histograms",
    load: () => import("./histograms/View.svelte"),
    hint: 'log.add_histogram("layer.0.weight", weight, step)',
  },
  {
    id: "text",
    title: "Text",
    kind: "text",
    load: () => import("./text/View.svelte"),
    hint: 'log.add_text("note", "what **changed**", step)',
  },
  {
    id: "audio",
    title: "Audio",
    kind: "audio",
    load: () => import("./audio/View.svelte"),
    hint: 'log.add_audio("speech", samples, step, sample_rate=22050)',
  },
];
