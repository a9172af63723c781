/* Pointer and keyboard interaction of the charts: crosshair, tooltip, gestures, shortcuts. */
import { LazyInteraction } from "../../base/lazyInteraction.svelte";

export const interaction = new LazyInteraction(() => import("./cursors.svelte"));
