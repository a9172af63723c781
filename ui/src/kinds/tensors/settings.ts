/* Settings of the Tensors tab that are part of the URL. */
import { StepChoice } from "../../app/series.svelte";
import { json, oneOf, param, text } from "../../base/url";
import type { ColorScale, Index } from "./grid";

export type Measure = "std" | "mean" | "min" | "max";
/** Part of the slice: top, bottom, left and right, as the server takes it. */
export type Window = [number, number, number, number];

export const step = new StepChoice("tensors.step");
/** Empty for the first run and the first tag. */
export const run = param("tensors.run", text, "");
export const tag = param("tensors.tag", text, "");
/** Positions on the axes; null on those of the grid. */
export const index = param<Index | null>("tensors.index", json<Index | null>(), null);
export const zoom = param<Window | null>("tensors.zoom", json<Window | null>(), null);
/** First row and column of the table. */
export const corner = param<[number, number]>("tensors.at", json<[number, number]>(), [0, 0]);
export const mode = param("tensors.as", oneOf("heat", "table"), "heat");
export const scale = param<ColorScale>("tensors.scale", oneOf("linear", "sqrt", "log"), "linear");
export const scope = param("tensors.of", oneOf("slice", "tensor"), "slice");
export const measure = param<Measure>("tensors.measure", oneOf("std", "mean", "min", "max"), "std");
