/* The series of the PR curves tab, and the curve of each at the shared step. */
import { board } from "../../app/board.svelte";
import { dashOf } from "../../app/colors";
import { byTag, placeAt, SeriesList } from "../../app/series.svelte";
import { TagFilter } from "../../app/view/tagFilter.svelte";
import type { PrSeries } from "../../api/types";
import { coordinates, earlierPlaces, indexAt, type PrCurve } from "./curve";
import { type CurveQuery, curves } from "./curves";
import type { Line } from "./drawCurves";
import * as settings from "./settings";

/** More lines in one chart cannot be told apart. */
export const MAX_RUNS = 60;
const EARLIER_STEPS = 4;
const EARLIER_OPACITY = [0.22, 0.34, 0.48, 0.64];

/** The curve of a run at the shared step, or why there is none. Undefined while it is requested. */
export interface RunCurve {
  run: string;
  query: CurveQuery;
  curve: PrCurve | Error | undefined;
}

export class PrModel {
  list = new SeriesList<PrSeries>("pr_curves");
  search = new TagFilter("pr.tags", "Filter tags");
  tags = $derived(byTag(this.list.all, (tag) => this.search.passes(tag)).map(([tag]) => tag));
  tag = $derived(this.tags.find((tag) => tag === settings.largeTag.value) ?? this.tags[0]);
  /** The tags of the small charts, by the part of their names that they share. */
  groups = $derived([
    ...Map.groupBy(
      this.tags.filter((tag) => tag !== this.tag),
      (tag) => tag.slice(0, tag.lastIndexOf("/") + 1),
    ),
  ]);
  /** The run of the panel. */
  run = $derived.by(() => {
    const all = this.tag === undefined ? [] : this.seriesOf(this.tag).map(({ run }) => run);
    return all.find((run) => run === settings.panelRun.value) ?? all[0];
  });
  /** The curves of the large chart that are known. */
  known = $derived(
    (this.tag === undefined ? [] : this.curvesOf(this.tag)).flatMap(({ run, curve }) =>
      curve && !(curve instanceof Error) && curve.recall.length ? [{ run, curve }] : [],
    ),
  );
  /** The curve of the panel. */
  chosen = $derived(this.known.find(({ run }) => run === this.run) ?? this.known[0]);
  /** The run to emphasize in all charts. */
  emphasized = $derived(board.emphasized ?? this.run ?? null);
  /** What is shown until the data of another step arrives, so that lines do not vanish meanwhile. */
  #last = new Map<string, PrCurve>();

  follow(): void {
    this.list.follow();
  }

  seriesOf(tag: string): PrSeries[] {
    const order = new Map(board.visible.map(({ id }, i) => [id, i]));
    const all = this.list.all.filter((series) => series.tag === tag && order.has(series.run));
    return all.sort((a, b) => order.get(a.run)! - order.get(b.run)!);
  }

  /** Returns the curves of a tag at the shared step. */
  curvesOf(tag: string): RunCurve[] {
    return this.seriesOf(tag)
      .slice(0, MAX_RUNS)
      .map(({ run, steps }) => {
        const query = { run, tag, step: steps[placeAt(steps, settings.step.value)]! };
        const curve = curves.get(query);
        const key = `${run} ${tag}`;
        if (curve && !(curve instanceof Error)) this.#last.set(key, curve);
        return { run, query, curve: curve ?? this.#last.get(key) };
      });
  }

  /** Returns the queries of the earlier steps of the emphasized run, the earliest first. */
  earlierQueries(tag: string): CurveQuery[] {
    const series = this.seriesOf(tag).find(({ run }) => run === this.emphasized);
    if (!series || !settings.earlierSteps.value) return [];
    const { run, steps } = series;
    const places = earlierPlaces(steps.length, placeAt(steps, settings.step.value), EARLIER_STEPS);
    return places.map((place) => ({ run, tag, step: steps[place]! }));
  }

  /** Returns the lines of a chart, in the order of drawing. */
  linesOf(shown: RunCurve[], earlier: CurveQuery[]): Line[] {
    const faded = earlier.flatMap((query, i) => {
      const curve = curves.get(query);
      const opacity = EARLIER_OPACITY.slice(-earlier.length)[i]!;
      return curve && !(curve instanceof Error) ? this.#lineOf(query.run, curve, opacity) : [];
    });
    const current = shown.flatMap(({ run, curve }) =>
      curve && !(curve instanceof Error) ? this.#lineOf(run, curve, 1) : [],
    );
    return [...faded, ...current];
  }

  #lineOf(run: string, curve: PrCurve, opacity: number): Line[] {
    const points = coordinates(curve, settings.space.value);
    if (!points) return [];
    const marked = opacity === 1 ? indexAt(curve, settings.threshold.value) : null;
    const look = { color: board.color(run), dash: dashOf(board.dash(run)) };
    return [{ ...points, ...look, run, step: curve.step, opacity, marked }];
  }
}
