/* Downloads of the media on screen as a zip file: at the selected step, or at all steps. */
import type { Series } from "../app/series.svelte";
import { saveArchive } from "../app/view/zipDownload";
import type { Action } from "../base/actions";
import { counted } from "../base/format";

export interface Download {
  title: string;
  hint: string;
  run(): void;
}

interface Place {
  run: string;
  tag: string;
  step: number;
}

/** Returns the items of a download menu. `noun` is singular. */
export function mediaDownloads(kind: string, noun: string, visible: Place[], series: Series[]): Download[] {
  if (!visible.length) return [];
  const places = visible.map(({ run, tag, step }) => ({ run, tag, step }));
  const all = series.map(({ run, tag }) => ({ run, tag }));
  const steps = series.reduce((sum, one) => sum + one.steps.length, 0);
  return [
    { title: `Visible ${noun}s`, hint: counted(places.length, noun), run: () => void saveArchive(kind, places) },
    { title: `All steps of these ${noun}s`, hint: counted(steps, "step"), run: () => void saveArchive(kind, all) },
  ];
}

/** Returns the downloads as commands. */
export function downloadActions(group: string, downloads: Download[]): Action[] {
  return downloads.map(({ title, run }) => ({
    id: `${group}: ${title}`,
    title: `Download ${title.toLowerCase()}`,
    group,
    icon: "down",
    run,
  }));
}
