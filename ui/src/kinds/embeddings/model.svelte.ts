/* State of the Embeddings tab: what is shown of which run and step, and everything that is derived from it. */
import { Current } from "../../api/resource.svelte";
import type { EmbeddingSeries } from "../../api/types";
import { board } from "../../app/board.svelte";
import { compile } from "../../app/filter";
import { placeAt } from "../../app/series.svelte";
import { theme } from "../../app/theme.svelte";
import { TagFilter } from "../../app/view/tagFilter.svelte";
import { chartTheme } from "../chartTheme.svelte";
import { type Camera, fitCamera, type Layout } from "./camera";
import {
  colorColumn,
  isCategorical,
  labelColumn,
  type Metadata,
  metadataOf,
  type PointColumn,
  type Source,
  textOf,
} from "./metadata";
import { colorByCategory, colorByNumber, oneColor, OTHER, type PointColors, slotToken } from "./pointColors";
import { type ProjectionQuery, Projector } from "./projector.svelte";
import { embeddingLists, movedRows, neighborsOf, separations } from "./queries";
import * as choice from "./settings.svelte";

/** Steps of one tag that share a projection. More are sampled, with the first and the last. */
const MAX_STEPS = 60;
const MOVED = 50;
const MIN_SEPARATION_STEPS = 2;

/** What is drawn in one of the plots side by side. */
export interface Side {
  run: string;
  series: EmbeddingSeries;
  source: Source;
}

export class EmbeddingsModel {
  readonly search = new TagFilter("emb.q", "Search labels");
  readonly list = new Current(embeddingLists);
  readonly projector = new Projector();
  /** Size of a plot in CSS pixels. */
  size = $state.raw({ width: 0, height: 0 });
  hovered = $state<number | null>(null);

  readonly #metadata = new Current(metadataOf);
  readonly #neighbors = new Current(neighborsOf);
  readonly #moved = new Current(movedRows);
  readonly #separation = new Current(separations);

  // ---- runs, tags and steps
  all = $derived(this.list.data ?? []);
  runs = $derived([...new Set(this.all.map(({ run }) => run))]);
  run = $derived(this.runs.includes(choice.chosenRun.value) ? choice.chosenRun.value : (this.runs[0] ?? ""));
  tags = $derived(this.all.filter(({ run }) => run === this.run).map(({ tag }) => tag));
  tag = $derived(this.tags.includes(choice.chosenTag.value) ? choice.chosenTag.value : (this.tags[0] ?? ""));
  sides = $derived.by((): Side[] =>
    [this.run, ...(choice.otherRun.value === this.run ? [] : [choice.otherRun.value])].flatMap((run) => {
      const series = this.all.find((one) => one.run === run && one.tag === this.tag);
      const steps = series ? stepsOf(series) : [];
      if (!series || !steps.length) return [];
      return [{ run, series, source: { run, tag: this.tag, step: steps[placeAt(steps, choice.step.value)]! } }];
    }),
  );
  steps = $derived([...new Set(this.sides.flatMap(({ series }) => stepsOf(series)))].sort((a, b) => a - b));
  source = $derived(this.sides[0]?.source ?? null);
  shape = $derived(this.sides[0]?.series.steps.find(({ step }) => step === this.source?.step));
  broken = $derived(
    this.all
      .find(({ run, tag }) => run === this.run && tag === this.tag)
      ?.steps.flatMap(({ broken }) => broken ?? []) ?? [],
  );

  // ---- the projection
  isAligned = $derived(choice.aligned.value && this.steps.length > 1);
  query = $derived.by((): ProjectionQuery | null => {
    const sources = this.sides.flatMap(({ run, series, source }) =>
      this.isAligned ? sampled(stepsOf(series), source.step).map((step) => ({ run, tag: this.tag, step })) : [source],
    );
    const dimensions = choice.is3d.value ? 3 : 2;
    const method = choice.method.value;
    const axes = method === "custom" ? this.customAxes : null;
    if (!sources.length || (method === "custom" && !axes)) return null;
    return {
      sources,
      method,
      dimensions: method === "custom" ? 2 : dimensions,
      ...(method === "pca" && { components: choice.components.value.slice(0, dimensions) }),
      ...(axes && { axes }),
      spherize: choice.spherize.value,
      cosine: choice.cosineLayout.value,
      neighbors: choice.neighborCount.value,
      min_dist: choice.minDistance.value,
      perplexity: choice.perplexity.value,
    };
  });
  /** The rows at both ends of the custom axes, or null if an end has none. */
  customAxes = $derived.by(() => {
    const axes = choice.axes.value.map(({ from, to }) => ({ from: this.rowsWith(from), to: this.rowsWith(to) }));
    return axes.every(({ from, to }) => from.length && to.length) ? axes : null;
  });
  is3d = $derived(this.layoutOf(this.source)?.z !== undefined);
  camera = $derived.by((): Camera => {
    const layouts = this.projector.projected?.layouts ?? [];
    return choice.camera.value ?? fitCamera(layouts, this.size.width, this.size.height);
  });

  // ---- metadata
  metadata = $derived<Metadata | undefined>(this.#metadata.data);
  columns = $derived(this.metadata?.columns ?? []);
  /** All texts of each row, to search in. */
  #rowTexts = $derived(
    this.columns.length
      ? Array.from({ length: this.shape?.rows ?? 0 }, (_, row) => this.columns.map((one) => textOf(one, row)).join(" "))
      : [],
  );
  colorColumn = $derived(this.#column(choice.colorBy.value, colorColumn));
  labelColumn = $derived(this.#column(choice.labelBy.value, labelColumn));
  colors = $derived.by((): PointColors => {
    const [column, rows] = [this.colorColumn, this.shape?.rows ?? 0];
    const token = (name: string): string => theme.token(name);
    if (column && isCategorical(column)) return colorByCategory(column, token);
    if (column?.numbers) return colorByNumber(column.numbers, chartTheme().sequential, token("--ink-off"));
    return oneColor(rows, board.color(this.run));
  });
  classColumn = $derived(this.colorColumn?.codes ? this.colorColumn : undefined);

  // ---- found, selected and hidden rows
  found = $derived(this.search.words.trim() === "" || this.search.error ? [] : this.rowsWith(this.search.words));
  selected = $derived(inRange(choice.selectedRow.value, this.shape?.rows));
  selection = $derived(choice.selection.value.filter((row) => inRange(row, this.shape?.rows) !== null));
  neighbors = $derived(this.selected === null ? undefined : this.#neighbors.data);
  neighborError = $derived(this.selected === null ? null : this.#neighbors.error);
  moved = $derived(this.#moved.data);
  separation = $derived(this.#separation.data);
  shown = $derived.by(() => {
    const rows = this.shape?.rows ?? 0;
    const [codes, hidden] = [this.classColumn?.codes, new Set(choice.hiddenCodes.value)];
    const shown = new Uint8Array(rows).fill(1);
    if (choice.isolated.value && this.selection.length) {
      shown.fill(0);
      for (const row of this.selection) shown[row] = 1;
    }
    if (codes && hidden.size)
      for (let row = 0; row < rows; row++) if (hidden.has(this.keyOf(codes[row]!))) shown[row] = 0;
    return shown;
  });
  strong = $derived.by(() => {
    const strong = new Uint8Array(this.shape?.rows ?? 0);
    const chosen = choice.isolated.value ? [] : this.selection;
    if (!this.found.length && !chosen.length) return strong.fill(1);
    for (const row of [...this.found, ...chosen]) strong[row] = 1;
    return strong;
  });

  /** Requests what is shown. Call it while a component is created. */
  follow(): void {
    this.list.follow(() => board.visible.map(({ id }) => id));
    this.projector.follow(() => this.query);
    this.#metadata.follow(() => this.source);
    this.#neighbors.follow(() =>
      this.source && this.selected !== null
        ? {
            ...this.source,
            row: this.selected,
            count: choice.listedNeighbors.value,
            cosine: choice.distance.value === "cosine",
          }
        : null,
    );
    this.#moved.follow(() => {
      const from = this.sides[0] && stepsOf(this.sides[0].series)[0]!;
      return this.source && from !== undefined && this.source.step > from
        ? { run: this.run, tag: this.tag, from, to: this.source.step, count: MOVED }
        : null;
    });
    this.#separation.follow(() =>
      this.classColumn && this.source && this.steps.length >= MIN_SEPARATION_STEPS
        ? { run: this.run, tag: this.tag, column: this.classColumn.name }
        : null,
    );
  }

  /** Returns the positions of a side's points, if they are there. */
  layoutOf(source: Source | null): Layout | undefined {
    const { projected } = this.projector;
    if (!source || !projected) return undefined;
    const isOf = (one: Source): boolean => one.run === source.run && one.tag === source.tag && one.step === source.step;
    const at = projected.head.sources.findIndex((one) => isOf(one) && one.ready);
    return projected.layouts[at];
  }

  /** Returns the positions at every step up to the one on screen, in order. */
  layoutsBefore({ run, source }: Side): Layout[] {
    const { projected } = this.projector;
    return (projected?.head.sources ?? []).flatMap((one, i) =>
      one.run === run && one.ready && one.step <= source.step ? [projected!.layouts[i]!] : [],
    );
  }

  /** Returns the rows whose metadata matches words or a regular expression. */
  rowsWith(words: string): number[] {
    if (words.trim() === "") return [];
    const { test } = compile(words);
    return this.#rowTexts.flatMap((text, row) => (test(text) ? [row] : []));
  }

  labelOf(row: number): string {
    return (this.labelColumn && textOf(this.labelColumn, row)) || `Row ${row}`;
  }

  /** Returns the color of a row's category, or that of the points. */
  colorOf(row: number): string {
    const { codes } = this.classColumn ?? {};
    if (codes && this.colors.keys.length) return theme.token(slotToken(codes[row]!));
    const pixel = this.colors.pixels[row] ?? 0;
    return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
  }

  /** Returns the entry of the legend for a category. */
  keyOf(code: number): number {
    return this.colors.keys.some((key) => key.code === code) ? code : OTHER;
  }

  #column(name: string | null, initial: (columns: PointColumn[]) => PointColumn | undefined): PointColumn | undefined {
    return name === null ? initial(this.columns) : this.columns.find((column) => column.name === name);
  }
}

/** Returns the steps that can be read. */
export function stepsOf({ steps }: EmbeddingSeries): number[] {
  return steps.flatMap(({ step, broken }) => (broken === undefined ? [step] : []));
}

/** Returns at most MAX_STEPS of the steps, evenly spread, and always the given one. */
function sampled(steps: number[], also: number): number[] {
  if (steps.length <= MAX_STEPS) return steps;
  const every = (steps.length - 1) / (MAX_STEPS - 1);
  const chosen = Array.from({ length: MAX_STEPS }, (_, i) => steps[Math.round(i * every)]!);
  return [...new Set([...chosen, also])].sort((a, b) => a - b);
}

const inRange = (row: number | null, rows: number | undefined): number | null =>
  row !== null && rows !== undefined && row >= 0 && row < rows ? row : null;
