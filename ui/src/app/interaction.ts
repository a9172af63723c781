/* Pointer and keyboard interaction of the shell: actions, buttons of the runs, width of the sidebar. */
import { LazyInteraction } from "../base/lazyInteraction.svelte";
import { lazy } from "./lazy";

export const interaction = new LazyInteraction(lazy.interactive);
