/* Settings of the Meshes tab. All are in the URL. */
import { StepChoice } from "../../app/series.svelte";
import { flag, json, oneOf, param, real, text } from "../../base/url";
import type { Viewpoint } from "./viewpoint";

export const step = new StepChoice("mesh.step");
/** Empty for the first tag. */
export const tag = param("mesh.tag", text, "");
export const sample = param("mesh.sample", real, 0);
export const MODES = ["points", "faces", "wireframe"] as const;
/** How meshes with faces are drawn. `auto` is what was logged: faces, unless the material is a wireframe. */
export const mode = param("mesh.as", oneOf("auto", ...MODES), "auto");
/** Diameter of a point in CSS pixels. */
export const pointSize = param("mesh.size", real, 2);
export const box = param("mesh.box", flag, true);
/** Whether all runs share one camera. */
export const linked = param("mesh.linked", flag, true);
/** Cameras that were moved, by run; that of linked runs has an empty name. */
export const viewpoints = param<Record<string, Viewpoint>>("mesh.camera", json<Record<string, Viewpoint>>(), {});
