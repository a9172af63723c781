/* State of the Attention tab: what is shown of which run, text and step, and everything that is derived from it. */
import { Current } from "../../api/resource.svelte";
import type { AttentionSeries } from "../../api/types";
import { placeAt, SeriesList } from "../../app/series.svelte";
import { TagFilter } from "../../app/view/tagFilter.svelte";
import { FIRST_STEP, NOTHING, PREVIOUS_STEP } from "../compareWith";
import { type AttentionMap, sinkColumns, subtract, withoutColumns } from "./maps";
import { isMeasure, type Measure, MEASURES } from "./measures";
import { changes, curves, headMaps, overviews, rollouts, type Source, tokensInHeads } from "./queries";
import * as choice from "./settings";

/** Colors of differences never span less, so that noise does not look like change. */
const MIN_DIFFERENCE = 0.02;

export class AttentionModel {
  readonly search = new TagFilter("att.q", "Search tokens");
  readonly list = new SeriesList<AttentionSeries>("attention");

  readonly #overview = new Current(overviews);
  readonly #otherOverview = new Current(overviews);
  readonly #map = new Current(headMaps);
  readonly #otherMap = new Current(headMaps);
  readonly #change = new Current(changes);
  readonly #curves = new Current(curves);
  readonly #otherCurves = new Current(curves);
  readonly #rollout = new Current(rollouts);
  readonly #token = new Current(tokensInHeads);

  // ---- runs, texts and steps
  runs = $derived([...new Set(this.list.all.map(({ run }) => run))]);
  run = $derived(this.runs.find((run) => run === choice.chosenRun.value) ?? this.runs[0] ?? "");
  ofRun = $derived(this.list.all.filter(({ run }) => run === this.run));
  series = $derived(this.ofRun.find(({ tag }) => tag === choice.chosenTag.value) ?? this.ofRun[0]);
  tag = $derived(this.series?.tag ?? "");
  steps = $derived(this.series?.steps ?? []);
  /** What is shown as A. */
  a = $derived(this.#sourceAt(this.series, placeAt(this.steps, choice.step.value)));
  /** Runs that have the same text, by its tag. */
  others = $derived(this.list.all.filter(({ run, tag }) => run !== this.run && tag === this.tag).map(({ run }) => run));
  isComparing = $derived(choice.against.value !== NOTHING);
  b = $derived.by((): Source | null => {
    const place = placeAt(this.steps, choice.step.value);
    if (!this.isComparing || !this.a) return null;
    if (choice.against.value === PREVIOUS_STEP) return place > 0 ? this.#sourceAt(this.series, place - 1) : null;
    if (choice.against.value === FIRST_STEP) return place > 0 ? this.#sourceAt(this.series, 0) : null;
    const other = this.list.all.find(({ run, tag }) => run === choice.against.value && tag === this.tag);
    return other ? this.#sourceAt(other, placeAt(other.steps, this.a.step)) : null;
  });
  /** Why there is nothing to compare with. */
  noneToCompare = $derived.by((): string | null => {
    if (!this.isComparing || this.b) return null;
    if (choice.against.value === PREVIOUS_STEP || choice.against.value === FIRST_STEP)
      return "This is the first step, so there is none before it to compare with.";
    return `The run to compare with is not selected, or has no ${this.tag}.`;
  });
  /** Why A and B cannot be compared: their tokens or models differ. */
  refusal = $derived(this.b ? (this.#change.data?.refused ?? this.#change.error?.message ?? null) : null);
  side = $derived.by((): choice.Side => {
    if (!this.b || (this.refusal && choice.side.value === "difference")) return "a";
    return choice.side.value;
  });
  /** Whether differences are shown, and both sides are there. */
  isDifference = $derived(this.side === "difference" && this.#change.data !== undefined && !this.refusal);

  // ---- the overview
  overview = $derived(this.side === "b" ? this.#otherOverview.data : this.#overview.data);
  otherOverview = $derived(this.#otherOverview.data);
  overviewError = $derived((this.side === "b" ? this.#otherOverview : this.#overview).error);
  change = $derived(this.b && !this.refusal ? this.#change.data : undefined);
  /** Problems of what is shown, as sentences. */
  problems = $derived([...new Set([...(this.overview?.problems ?? []), ...(this.change?.problems ?? [])])]);
  /** Measures that have a value for some head. */
  measures = $derived.by((): Measure[] => {
    const { measured } = this.overview ?? {};
    if (!measured) return [];
    return (Object.keys(MEASURES) as Measure[]).filter((name) => measured[name].some((value) => !Number.isNaN(value)));
  });
  picture = $derived.by((): choice.Picture => {
    const name = choice.picture.value;
    if (name === "change" && this.change) return "change";
    return isMeasure(name) && this.measures.includes(name) ? name : "pattern";
  });
  /** The measure that is drawn over the steps. */
  measure = $derived<Measure>(isMeasure(this.picture) ? this.picture : "entropy");
  /** What cells are colored and sorted by. Null for patterns of a single step, which are sorted by the measure. */
  values = $derived.by((): Float32Array | null => {
    if (!this.overview) return null;
    if (this.picture === "change") return this.change?.divergence ?? null;
    const shown = this.overview.measured[this.measure];
    if (this.picture === "pattern") return this.isDifference ? (this.change?.divergence ?? null) : shown;
    if (!this.isDifference || !this.otherOverview) return shown;
    const others = this.otherOverview.measured[this.measure];
    return shown.map((value, i) => value - (others[i] ?? NaN));
  });
  largestDifference = $derived(Math.max(MIN_DIFFERENCE, this.change?.largest ?? 0));

  // ---- one head
  layers = $derived(this.overview?.layers ?? []);
  /** Positions of the chosen layer and head among those that were logged. */
  chosen = $derived.by(() => {
    const layer = Math.max(0, Math.min(choice.chosenHead.value[0], this.layers.length - 1));
    const head = Math.max(0, Math.min(choice.chosenHead.value[1], (this.layers[layer]?.heads.length ?? 1) - 1));
    return { layer, head };
  });
  /** Position of the chosen head among the heads of all layers. */
  index = $derived(
    this.layers.slice(0, this.chosen.layer).reduce((sum, { heads }) => sum + heads.length, this.chosen.head),
  );
  headName = $derived(this.nameOf(this.chosen.layer, this.chosen.head));
  tokens = $derived(this.overview?.tokens ?? []);
  keys = $derived(this.overview?.keys ?? []);
  /** Positions that a search finds, in the order of the keys. */
  found = $derived(
    this.search.words.trim() ? this.keys.flatMap((key, i) => (this.search.passes(key) ? [i] : [])) : ([] as number[]),
  );
  /** Tokens of the side that is looked from: queries, or keys that are attended to. */
  fromTokens = $derived(choice.direction.value === "from" ? this.tokens : this.keys);
  token = $derived.by((): number | null => {
    const { value } = choice.chosenToken;
    if (value !== null) return value >= 0 && value < this.fromTokens.length ? value : null;
    const first = this.found[0];
    return first === undefined || first >= this.fromTokens.length ? null : first;
  });
  map = $derived.by((): AttentionMap | undefined => {
    // The scale of differences comes with the change.
    if (this.mapIsDifference && !this.change) return undefined;
    const [a, b] = [this.#map.data, this.#otherMap.data];
    const isRollout = choice.panel.value === "rollout";
    const shown = isRollout ? this.#rollout.data : this.side === "a" ? a : this.side === "b" ? b : difference(a, b);
    return shown && choice.withoutSinks.value ? withoutColumns(shown, sinkColumns(this.keys)) : shown;
  });
  mapIsDifference = $derived(this.side === "difference" && choice.panel.value !== "rollout");
  mapError = $derived.by((): Error | null => {
    if (choice.panel.value === "rollout") return this.#rollout.error;
    const { error } = this.side === "b" ? this.#otherMap : this.#map;
    return error ?? (this.side === "difference" ? this.#otherMap.error : null);
  });
  /** The largest weight that colors tell apart. Without the columns of idle heads, it is far below 1. */
  largestWeight = $derived.by(() => {
    if (!this.map || !choice.withoutSinks.value) return 1;
    return Math.max(
      0.01,
      this.map.values.reduce((most, value) => Math.max(most, value), 0),
    );
  });
  /** The chosen token in all heads: heads × tokens of the other side, as bytes. */
  inHeads = $derived(this.token === null ? undefined : this.#token.data);
  inHeadsError = $derived(this.#token.error);

  // ---- over the steps
  curvesA = $derived(this.#curves.data);
  curvesB = $derived(this.b && this.b.run !== this.run ? this.#otherCurves.data : undefined);
  curvesError = $derived(this.#curves.error);

  /** Requests what is shown. Call it while a component is created. */
  follow(): void {
    this.list.follow();
    const ofHead = (source: Source | null) => {
      const isShown = choice.panel.value === "matrix" || choice.panel.value === "lines";
      return source && isShown && this.overview?.maps ? { ...source, ...this.chosen } : null;
    };
    const isShown = (panel: choice.Panel): boolean => choice.panel.value === panel;
    this.#overview.follow(() => this.a);
    this.#otherOverview.follow(() => this.b);
    this.#map.follow(() => (this.side === "b" ? null : ofHead(this.a)));
    this.#otherMap.follow(() => (this.side === "a" ? null : ofHead(this.b)));
    this.#change.follow(() => (this.a && this.b ? { ...this.a, other: this.b } : null));
    const shown = (): Source | null => (this.side === "b" ? this.b : this.a);
    this.#rollout.follow(() => (isShown("rollout") ? shown() : null));
    this.#token.follow(() => {
      const source = shown();
      const [token, side] = [this.token, choice.direction.value];
      return source && token !== null && isShown("heads") ? { ...source, token, side } : null;
    });
    this.#curves.follow(() => (this.series ? { run: this.run, tag: this.tag, measure: this.measure } : null));
    this.#otherCurves.follow(() =>
      this.b && this.b.run !== this.run ? { run: this.b.run, tag: this.tag, measure: this.measure } : null,
    );
  }

  retry(): void {
    for (const resource of [overviews, headMaps, changes, curves, rollouts, tokensInHeads]) resource.retry();
  }

  nameOf(layer: number, head: number): string {
    const { layer: number, heads } = this.layers[layer] ?? { layer, heads: [] };
    return `layer ${number} head ${heads[head] ?? head}`;
  }

  chooseHead(layer: number, head: number): void {
    choice.chosenHead.value = [layer, head];
  }

  /** Chooses a token, or no token if it is the chosen one. */
  chooseToken(token: number): void {
    choice.chosenToken.value = this.token === token ? null : token;
  }

  #sourceAt(series: AttentionSeries | undefined, place: number): Source | null {
    const step = series?.steps[place];
    return series && step !== undefined ? { run: series.run, tag: series.tag, step } : null;
  }
}

function difference(a: AttentionMap | undefined, b: AttentionMap | undefined): AttentionMap | undefined {
  if (!a || !b) return undefined;
  return a.queries === b.queries && a.keys === b.keys ? subtract(a, b) : undefined;
}
