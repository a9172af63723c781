/* A registry of fourteen views for the browser tests of the navigation: those that exist, and empty ones in the place of those that
   are planned. Not part of the product; vite.fourteen.config.ts builds a page with it. */
import type { Component } from "svelte";
import type { IconName } from "../../base/icons";
import { pages, type Task, type ViewEntry, views as existing } from "..";

export { pages };
export type { Task, ViewEntry };

const Blank: Component = () => ({});

/** A planned view with data when the logdir has a kind of its name. */
function planned(title: string, task: Task, icon: IconName, key: string): ViewEntry {
  const id = title.toLowerCase().replace(" ", "-");
  return {
    id,
    title,
    task,
    icon,
    key,
    hasData: (board) => Boolean(board.kinds[id]),
    count: (board) => board.kinds[id] ?? 0,
    load: () => Promise.resolve({ default: Blank }),
  };
}

const exists = (id: string): ViewEntry => existing.find((entry) => entry.id === id)!;

export const views: ViewEntry[] = [
  exists("charts"),
  exists("table"),
  exists("hparams"),
  exists("pr_curves"),
  exists("images"),
  exists("audio"),
  exists("text"),
  exists("meshes"),
  exists("histograms"),
  exists("embeddings"),
  exists("attention"),
  exists("graphs"),
  exists("tensors"),
  planned("Profile", "System", "sort", "Shift+5"),
];
