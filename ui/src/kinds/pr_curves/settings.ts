/* Settings of the PR curves tab that are part of the URL. */
import { StepChoice } from "../../app/series.svelte";
import { flag, json, oneOf, param, real, text } from "../../base/url";
import type { Space } from "./curve";

export type Measure = "f1" | "precision" | "recall" | "area";
/** Zoomed part of the large chart: left, right, bottom, top. */
export type Zoom = [number, number, number, number];

export const step = new StepChoice("pr.step");
export const space = param<Space>("pr.space", oneOf("pr", "roc"), "pr");
/** The tag of the large chart. Empty for the first. */
export const largeTag = param("pr.tag", text, "");
/** The run of the panel. Empty for the first. */
export const panelRun = param("pr.run", text, "");
export const threshold = param("pr.threshold", real, 0.5);
export const earlierSteps = param("pr.earlier", flag, true);
export const measure = param<Measure>("pr.measure", oneOf("f1", "precision", "recall", "area"), "f1");
export const zoom = param<Zoom | null>("pr.zoom", json<Zoom | null>(), null);
