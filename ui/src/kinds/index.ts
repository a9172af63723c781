/* Registry of the views, in the order of their tabs. The shell knows a view only by its entry here; its code loads when it opens. */
import type { Component } from "svelte";
import type { BoardInfo } from "../api/types";
import type { IconName } from "../base/icons";

/** What people do with the views; the tabs of one task stand together. */
export type Task = "Compare" | "Samples" | "Model" | "System" | "Health";

export interface ViewEntry {
  /** Name of the view in the URL. */
  id: string;
  /** Text of the tab. */
  title: string;
  task: Task;
  icon: IconName;
  /** The shortcut belongs to the view, not to its place, so that a new tab never changes it. `1`–`9`, then `Shift+1` and so on. */
  key: string;
  /** Whether the logdir has anything for this view. A view without data is listed under More. */
  hasData(board: BoardInfo): boolean;
  /** Whether it shows every run, whatever was logged. Then it is not the first to open. */
  showsEveryRun?: boolean;
  /** Whether it opens nevertheless: it may find data that the board does not know of, such as config files. */
  opensAlways?: boolean;
  /** Number of tags, or of whatever the view shows, for lists of views. */
  count?(board: BoardInfo): number;
  load(): Promise<{ default: Component }>;
}

/** For views of logged data: needs all of these kinds, and counts the tags of the first. */
function needs(...kinds: [string, ...string[]]): Pick<ViewEntry, "hasData" | "count"> {
  return {
    hasData: (board) => kinds.every((kind) => board.kinds[kind]),
    count: (board) => board.kinds[kinds[0]] ?? 0,
  };
}

export const views: ViewEntry[] = [
  {
    id: "charts",
    title: "Charts",
    task: "Compare",
    icon: "chart",
    key: "1",
    ...needs("scalars"),
    load: () => import("./scalars/View.svelte"),
  },
  {
    id: "table",
    title: "Table",
    task: "Compare",
    icon: "table",
    key: "2",
    showsEveryRun: true,
    hasData: (board) => board.runs.length > 0,
    count: (board) => board.runs.length,
    load: () => import("./table/View.svelte"),
  },
  {
    id: "hparams",
    title: "HParams",
    task: "Compare",
    icon: "sliders",
    key: "3",
    hasData: (board) => Boolean(board.kinds.hparams),
    opensAlways: true,
    count: (board) => board.runs.length,
    load: () => import("./hparams/View.svelte"),
  },
  {
    id: "pr_curves",
    title: "PR curves",
    task: "Compare",
    icon: "log",
    key: "4",
    ...needs("pr_curves"),
    load: () => import("./pr_curves/View.svelte"),
  },
  {
    id: "images",
    title: "Images",
    task: "Samples",
    icon: "image",
    key: "5",
    ...needs("images"),
    load: () => import("./images/View.svelte"),
  },
  {
    id: "audio",
    title: "Audio",
    task: "Samples",
    icon: "volume",
    key: "6",
    ...needs("audio"),
    load: () => import("./audio/View.svelte"),
  },
  {
    id: "text",
    title: "Text",
    task: "Samples",
    icon: "text",
    key: "7",
    ...needs("text"),
    load: () => import("./text/View.svelte"),
  },
  {
    id: "meshes",
    title: "Meshes",
    task: "Samples",
    icon: "cube",
    key: "8",
    ...needs("meshes"),
    load: () => import("./meshes/View.svelte"),
  },
  {
    id: "histograms",
    title: "Histograms",
    task: "Model",
    icon: "histogram",
    key: "9",
    ...needs("histograms"),
    load: () => import("./histograms/View.svelte"),
  },
  {
    id: "embeddings",
    title: "Embeddings",
    task: "Model",
    icon: "target",
    key: "Shift+1",
    ...needs("embeddings"),
    load: () => import("./embeddings/View.svelte"),
  },
  {
    id: "attention",
    title: "Attention",
    task: "Model",
    icon: "columns",
    key: "Shift+2",
    ...needs("attention"),
    load: () => import("./attention/View.svelte"),
  },
  {
    id: "graphs",
    title: "Graph",
    task: "Model",
    icon: "overlay",
    key: "Shift+3",
    ...needs("graphs"),
    load: () => import("./graphs/View.svelte"),
  },
  {
    id: "tensors",
    title: "Tensors",
    task: "Model",
    icon: "view",
    key: "Shift+4",
    ...needs("tensors"),
    load: () => import("./tensors/View.svelte"),
  },
  {
    id: "findings",
    title: "Findings",
    task: "Health",
    icon: "pulse",
    key: "D",
    showsEveryRun: true,
    hasData: (board) => board.runs.length > 0,
    count: (board) => board.kinds.findings ?? 0,
    load: () => import("./findings/View.svelte"),
  },
];

/** Pages without a tab and a key: links lead to them. */
export const pages: ViewEntry[] = [
  {
    id: "run",
    title: "Run",
    task: "Compare",
    icon: "runs",
    key: "",
    hasData: (board) => board.runs.length > 0,
    load: () => import("./run/View.svelte"),
  },
];
