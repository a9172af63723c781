/* Settings of the Embeddings tab. All are in the URL, so links and saved views are bookmarks. */
import { StepChoice } from "../../app/series.svelte";
import { flag, json, oneOf, param, real, text } from "../../base/url";
import type { Camera } from "./camera";

export type Method = "pca" | "umap" | "tsne" | "custom";
export type Tool = "move" | "box" | "lasso";
export type Labels = "none" | "clusters" | "points";

/** An end of a custom axis: rows whose metadata contains a text. */
export interface CustomAxis {
  from: string;
  to: string;
}

export const chosenRun = param("emb.run", text, "");
export const chosenTag = param("emb.tag", text, "");
/** The run beside the first one. */
export const otherRun = param("emb.with", text, "");
export const step = new StepChoice("emb.step");
/** Whether all steps share one projection, so that points keep their place from step to step. */
export const aligned = param("emb.aligned", flag, true);
export const trails = param("emb.trails", flag, false);

export const method = param<Method>("emb.method", oneOf("pca", "umap", "tsne", "custom"), "pca");
export const is3d = param("emb.3d", flag, false);
export const components = param<number[]>("emb.pc", json<number[]>(), [0, 1, 2]);
export const perplexity = param("emb.perplexity", real, 30);
export const neighborCount = param("emb.neighbors", real, 15);
export const minDistance = param("emb.mindist", real, 0.1);
export const spherize = param("emb.sphere", flag, false);
export const cosineLayout = param("emb.cosine", flag, false);
export const axes = param<CustomAxis[]>("emb.axes", json<CustomAxis[]>(), [
  { from: "", to: "" },
  { from: "", to: "" },
]);

/** Column names; null stands for the one that suits the data, and an empty name for none. */
export const colorBy = param<string | null>("emb.color", json<string | null>(), null);
export const labelBy = param<string | null>("emb.label", json<string | null>(), null);
export const labels = param<Labels>("emb.labels", oneOf("none", "clusters", "points"), "clusters");
export const sprites = param("emb.sprites", flag, true);
/** Categories that are not drawn. */
export const hiddenCodes = param<number[]>("emb.off", json<number[]>(), []);

export const tool = param<Tool>("emb.tool", oneOf("move", "box", "lasso"), "move");
export const camera = param<Camera | null>("emb.camera", json<Camera | null>(), null);
/** The point whose neighbors are shown, and the rows of a selection. */
export const selectedRow = param<number | null>("emb.row", json<number | null>(), null);
export const selection = param<number[]>("emb.select", json<number[]>(), []);
/** Whether only the selected rows are drawn. */
export const isolated = param("emb.only", flag, false);
export const listedNeighbors = param("emb.count", real, 50);
export const distance = param<"cosine" | "euclidean">("emb.distance", oneOf("cosine", "euclidean"), "cosine");
