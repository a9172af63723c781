/* State of the Meshes tab: the meshes of one tag at the shared step, and the camera of each run. */
import type { Series } from "../../app/series.svelte";
import { board } from "../../app/board.svelte";
import { byTag, placeAt, SeriesList } from "../../app/series.svelte";
import { TagFilter } from "../../app/view/tagFilter.svelte";
import { type Mesh, meshes, type MeshQuery } from "./meshes";
import type { Style } from "./render";
import * as settings from "./settings";
import { type Bounds, START, union, type Viewpoint } from "./viewpoint";

/** More pictures side by side are too small, and drawing all of them takes too long. */
export const MAX_RUNS = 12;
/** Samples that can be chosen from a list. */
const MAX_SAMPLES = 1000;

/** A run in the view: its mesh at the shared step, or why there is none. The mesh is undefined while it is requested. */
export interface Cell {
  run: string;
  series: Series;
  query: MeshQuery;
  mesh: Mesh | undefined;
  problem: string | null;
}

export class MeshesModel {
  readonly list = new SeriesList<Series>("meshes");
  readonly search = new TagFilter("mesh.tags", "Filter meshes");

  tags = $derived(byTag(this.list.all, (tag) => this.search.passes(tag)).map(([tag]) => tag));
  tag = $derived(this.tags.includes(settings.tag.value) ? settings.tag.value : (this.tags[0] ?? ""));
  /** The series of the tag, in the order of the runs. */
  series = $derived.by(() => {
    const order = new Map(board.visible.map(({ id }, i) => [id, i]));
    const found = this.list.all.filter(({ tag, run }) => tag === this.tag && order.has(run));
    return found.sort((a, b) => order.get(a.run)! - order.get(b.run)!);
  });
  steps = $derived([...new Set(this.series.flatMap(({ steps }) => steps))].sort((a, b) => a - b));
  cells = $derived(this.series.slice(0, MAX_RUNS).map((series) => this.#cellOf(series)));
  loaded = $derived(this.cells.flatMap(({ run, mesh }) => (mesh ? [{ run, mesh }] : [])));
  sample = $derived(Math.max(0, Math.min(MAX_SAMPLES - 1, Math.floor(settings.sample.value))));
  /** At least as many as the chosen one, which a mesh may lack, so that another one can be chosen. */
  samples = $derived.by(() => {
    const all = this.loaded.map(({ mesh }) => mesh.head.samples);
    return Math.min(MAX_SAMPLES, Math.max(this.sample + 1, ...all));
  });
  /** How meshes with faces are drawn; undefined if none has faces. */
  mode = $derived.by(() => {
    const withFaces = this.loaded.find(({ mesh }) => mesh.normals);
    return withFaces && this.modeOf(withFaces.mesh);
  });

  /** What is shown until the mesh of another step arrives. */
  #last = new Map<string, Mesh>();
  /** Bounds when a mesh was first shown. A mesh that grows by step must not shrink on screen. */
  #held = new Map<string, Bounds>();
  #resets = $state(0);

  follow(): void {
    this.list.follow();
    $effect(() => {
      const stops = this.cells.flatMap(({ series, query }) => (series.broken ? [] : [meshes.use(query)]));
      return () => stops.forEach((stop) => stop());
    });
  }

  chooseTag(tag: string): void {
    settings.tag.value = tag;
    settings.sample.value = 0;
    settings.viewpoints.value = {};
  }

  /** Shows all of every mesh again, as it is at this step. */
  reset(): void {
    this.#held.clear();
    this.#resets += 1;
    settings.viewpoints.value = {};
  }

  modeOf({ normals, head }: Mesh): Style["mode"] {
    if (!normals) return "points";
    if (settings.mode.value !== "auto") return settings.mode.value;
    return head.scene.wireframe ? "wireframe" : "faces";
  }

  viewpointOf(run: string): Viewpoint {
    const known = settings.viewpoints.value[this.#cameraOf(run)];
    return known && isValid(known) ? known : START;
  }

  look(run: string, viewpoint: Viewpoint, isFinal: boolean): void {
    const next = { ...settings.viewpoints.value, [this.#cameraOf(run)]: rounded(viewpoint) };
    if (isFinal) settings.viewpoints.value = next;
    else settings.viewpoints.preview(next);
  }

  /** Returns what the camera of a run shows at its start: its mesh, or with linked cameras all of them. */
  boundsOf(run: string): Bounds | null {
    void this.#resets;
    const shown = settings.linked.value ? this.loaded : this.loaded.filter((one) => one.run === run);
    return union(shown.flatMap(({ run, mesh }) => this.#heldOf(run, mesh) ?? []));
  }

  #heldOf(run: string, { bounds }: Mesh): Bounds | null {
    const key = JSON.stringify([run, this.tag, this.sample]);
    const held = this.#held.get(key) ?? bounds;
    if (held) this.#held.set(key, held);
    return held;
  }

  #cameraOf(run: string): string {
    return settings.linked.value ? "" : run;
  }

  #cellOf(series: Series): Cell {
    const { run, tag, steps, broken } = series;
    const query = { run, tag, step: steps[placeAt(steps, settings.step.value)] ?? 0, sample: this.sample };
    const found = broken === undefined ? meshes.get(query) : new Error(broken);
    const key = JSON.stringify([run, tag, query.sample]);
    if (found instanceof Error) return { run, series, query, mesh: undefined, problem: found.message };
    if (found) this.#last.set(key, found);
    return { run, series, query, mesh: found ?? this.#last.get(key), problem: null };
  }
}

/** A URL may hold anything. */
function isValid({ yaw, pitch, zoom, pan }: Record<keyof Viewpoint, unknown>): boolean {
  if (!Array.isArray(pan) || pan.length !== 3) return false;
  return [yaw, pitch, zoom, ...(pan as unknown[])].every((value) => Number.isFinite(value)) && Number(zoom) > 0;
}

/** Short numbers for the URL. */
function rounded({ yaw, pitch, zoom, pan }: Viewpoint): Viewpoint {
  const round = (value: number): number => Number(value.toPrecision(5));
  return {
    yaw: round(yaw),
    pitch: round(pitch),
    zoom: round(zoom),
    pan: [round(pan[0]), round(pan[1]), round(pan[2])],
  };
}
