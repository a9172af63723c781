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
  /** Whether it opens nevertheless: it may find data that the board does not know of, such as config files. */
  opensAlways?: boolean;
  /** Number of tags, or of whatever the view shows, for lists of views. */
  count?(board: BoardInfo): number;
  load(): Promise<{ default: Component }>;
  /** Code that logs such data. Its last line is shown where there is room for one. */
  hint: string;
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
    hint: 'log.add_scalar("train/loss", loss, step)',
  },
  {
    id: "table",
    title: "Table",
    task: "Compare",
    icon: "table",
    key: "2",
    hasData: (board) => board.runs.length > 0,
    count: (board) => board.runs.length,
    load: () => import("./table/View.svelte"),
    hint: 'log.add_hparams({"lr": 1e-3}, {"eval/loss": 0.2})',
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
    hint: 'log.add_hparams({"lr": 1e-3, "optimizer": "adam"}, {"hparam/accuracy": 0.9})',
  },
  {
    id: "pr_curves",
    title: "PR curves",
    task: "Compare",
    icon: "log",
    key: "4",
    ...needs("pr_curves"),
    load: () => import("./pr_curves/View.svelte"),
    hint: 'log.add_pr_curve("eval/positive", labels, predictions, step)',
  },
  {
    id: "images",
    title: "Images",
    task: "Samples",
    icon: "image",
    key: "5",
    ...needs("images"),
    load: () => import("./images/View.svelte"),
    hint: 'log.add_image("samples", image, step)',
  },
  {
    id: "audio",
    title: "Audio",
    task: "Samples",
    icon: "volume",
    key: "6",
    ...needs("audio"),
    load: () => import("./audio/View.svelte"),
    hint: 'log.add_audio("speech", samples, step, sample_rate=22050)',
  },
  {
    id: "text",
    title: "Text",
    task: "Samples",
    icon: "text",
    key: "7",
    ...needs("text"),
    load: () => import("./text/View.svelte"),
    hint: 'log.add_text("note", "what **changed**", step)',
  },
  {
    id: "histograms",
    title: "Histograms",
    task: "Model",
    icon: "histogram",
    key: "9",
    ...needs("histograms"),
    load: () => import("./histograms/View.svelte"),
    hint: 'log.add_histogram("layer.0.weight", weight, step)',
  },
  {
    id: "embeddings",
    title: "Embeddings",
    task: "Model",
    icon: "target",
    key: "Shift+1",
    ...needs("embeddings"),
    load: () => import("./embeddings/View.svelte"),
    hint: 'log.add_embedding(vectors, metadata=labels, global_step=step, tag="words")',
  },
  {
    id: "attention",
    title: "Attention",
    task: "Model",
    icon: "columns",
    key: "Shift+2",
    ...needs("attention"),
    load: () => import("./attention/View.svelte"),
    hint: 'log.add_attention("probe", outputs.attentions, tokens, step)',
  },
  {
    id: "graphs",
    title: "Graph",
    task: "Model",
    icon: "overlay",
    key: "Shift+3",
    ...needs("graphs"),
    load: () => import("./graphs/View.svelte"),
    hint: "log.add_graph(model, inputs)",
  },
  {
    id: "tensors",
    title: "Tensors",
    task: "Model",
    icon: "view",
    key: "Shift+4",
    ...needs("tensors"),
    load: () => import("./tensors/View.svelte"),
    hint: 'log.add_tensor("debug/logits", logits, step)',
  },
  {
    id: "findings",
    title: "Findings",
    task: "Health",
    icon: "pulse",
    key: "D",
    ...needs("findings"),
    load: () => import("./findings/View.svelte"),
    hint: "# lossboard finetune reports findings",
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
    hint: "",
  },
];
