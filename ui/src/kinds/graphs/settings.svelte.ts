/* Settings of the Graph tab. All are in the URL, so links and saved views show the same picture. */
import { StepChoice } from "../../app/series.svelte";
import { flag, json, oneOf, param, text } from "../../base/url";
import type { Camera } from "./camera";

/** How much is drawn: what computes, also what only reshapes, or everything. */
export type Detail = "compute" | "reshape" | "all";
export type Trace = "inputs" | "outputs";

export const chosenRun = param("graph.run", text, "");
export const chosenTag = param("graph.tag", text, "");
export const detail = param<Detail>("graph.detail", oneOf("compute", "reshape", "all"), "compute");
/** Open boxes. Null stands for those of the first picture. */
export const opened = param<string[] | null>("graph.open", json<string[] | null>(), null);
/** Scopes whose equal blocks are shown one by one. */
export const split = param<string[]>("graph.split", json<string[]>(), []);
/** Which of the equal blocks is shown, by box. */
export const members = param<Record<string, number>>("graph.member", json<Record<string, number>>(), {});
export const selected = param<string | null>("graph.node", json<string | null>(), null);
export const trace = param<Trace | "none">("graph.trace", oneOf("none", "inputs", "outputs"), "none");
export const camera = param<Camera | null>("graph.camera", json<Camera | null>(), null);
export const shapes = param("graph.shapes", flag, true);
export const colorBy = param("graph.color", text, "none");
export const step = new StepChoice("graph.step");
