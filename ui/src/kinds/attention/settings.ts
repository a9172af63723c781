/* Settings of the Attention tab. All are in the URL, so links and saved views show the same head of the same text. */
import { StepChoice } from "../../app/series.svelte";
import { flag, json, oneOf, param, text } from "../../base/url";
import { NOTHING } from "../compareWith";
import type { Measure } from "./measures";

/** What is shown: the run or step itself, what it is compared with, or their difference. */
export type Side = "a" | "b" | "difference";
/** What a cell of the overview shows: the map of the head, its change, or a measure. */
export type Picture = "pattern" | "change" | Measure;
export type Panel = "matrix" | "lines" | "heads" | "rollout";

export const chosenRun = param("att.run", text, "");
export const chosenTag = param("att.tag", text, "");
export const step = new StepChoice("att.step");
/** What A is compared with: nothing, another step of it, or a run. */
export const against = param("att.with", text, NOTHING);
export const side = param<Side>("att.side", oneOf("a", "b", "difference"), "difference");

export const picture = param("att.picture", text, "pattern");
export const isSorted = param("att.sorted", flag, false);
/** Positions of the layer and the head among those that were logged. */
export const chosenHead = param<[number, number]>("att.head", json<[number, number]>(), [0, 0]);
export const panel = param<Panel>("att.panel", oneOf("matrix", "lines", "heads", "rollout"), "matrix");
export const chosenToken = param<number | null>("att.token", json<number | null>(), null);
/** Whether a token is looked at as one that attends, or as one that is attended to. */
export const direction = param<"from" | "to">("att.direction", oneOf("from", "to"), "from");
/** Whether the first token and separators, which idle heads attend to, are left out of the colors. */
export const withoutSinks = param("att.plain", flag, false);
