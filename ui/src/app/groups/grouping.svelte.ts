/* Groups of runs with equal facts, and looks of runs by their facts. Loaded when the URL asks for one of these. */
import { getTags } from "../../api/client";
import { postFrames } from "../../api/frames";
import { Current, Resource } from "../../api/resource.svelte";
import type { FactsHead, RunRow } from "../../api/types";
import { number } from "../../base/format";
import { board } from "../board.svelte";
import { COLORS, Looks } from "../colors";
import { factChanges } from "../factChanges.svelte";
import type { GroupLine, Line, RunLine, Sort } from "../runs/tree";
import { nameOf } from "../runs/tree";
import { theme } from "../theme.svelte";
import { factGroups, type FactGroups, factName, type GroupsQuery, makeGroups, type RunGroup } from "./factGroups";
import { cssColor, type FactColors, factColors, factDashes } from "./factLooks";
import GroupItem from "./GroupItem.svelte";
import GroupNotes from "./GroupNotes.svelte";
import { type GroupRequest, lineSettings } from "./lineSettings";
import { mainMetric } from "./mainMetric";
import { colorBy, dashBy, groupBy, groupMetric } from "./params";

const DASHES = 5;
/** With more runs, groups start folded. */
const MAX_UNFOLDED = 40;
/** With more visible runs, charts show the groups alone. */
export const MAX_MEMBERS = 100;

/** The scalar tags, to guess the main metric. */
const tagList = new Resource<string, string[]>({
  maxBatch: 1,
  affects: (event) => event.new_tags.includes("scalars"),
  async fetch([kind], { signal }) {
    const { cursor, tags } = await getTags(kind!, signal);
    return { cursor, data: [tags.map(({ tag }) => tag)] };
  },
});

/** Values of a fact, by run. */
const values = new Resource<{ field: string; changes: number }, Map<string, number>>({
  maxBatch: 1,
  maxCached: 4,
  affects: () => true,
  async fetch([query], { signal }) {
    const { head, tables } = await postFrames<FactsHead>("facts", { fields: [query!.field] }, signal);
    const { kind, number } = (tables[0] ?? {}) as { kind?: Uint8Array; number?: Float64Array };
    const known = head.runs.flatMap((run, i) => (number && kind?.[i] === 1 ? [[run, number[i]!] as const] : []));
    return { cursor: head.cursor, data: [new Map(known)] };
  },
});

const sameFacts = (older: GroupsQuery, newer: GroupsQuery): boolean =>
  older.by === newer.by && older.metric === newer.metric;

class Grouping {
  #groups = new Current(factGroups, sameFacts);
  #colors = new Current(factGroups, sameFacts);
  #dashes = new Current(factGroups, sameFacts);
  #tags = new Current(tagList);
  #values = new Current(values, (older, newer) => older.field === newer.field);
  /** A group keeps its look while others come and go. */
  #looks = new Looks();

  #asked = $derived(groupBy.value);
  #answer = $derived(this.#groups.data?.asked === this.#asked ? this.#groups.data : null);
  /** Whether the groups are not known yet. */
  isAwaited = $derived(this.#asked !== "" && !this.#answer && !this.#groups.error);
  /** Why runs are not grouped or colored as the URL asks. */
  problem = $derived.by(() => {
    const answers = [this.#groups, this.#colors, this.#dashes];
    const found = answers.map(({ data, error }) => data?.problem?.message ?? error?.message).filter(Boolean);
    return found[0] ?? null;
  });
  /** The groups of all runs, or null if runs are not grouped. */
  all = $derived.by<RunGroup[] | null>(() => {
    const answer = this.#asked === "" ? null : this.#answer;
    if (!answer || answer.problem) return null;
    const groups = makeGroups(answer);
    this.#looks.add(groups.map(({ id }, i) => ({ id, name: id, start: i })));
    return groups;
  });
  facts = $derived(this.#answer?.by.map(({ name }) => factName(name)) ?? []);
  #byId = $derived(new Map((this.all ?? []).map((group) => [group.id, group])));
  #groupOf = $derived(new Map((this.all ?? []).flatMap((group) => group.runs.map((run) => [run, group.id] as const))));
  /** The groups with their visible runs, without those that have none. Each is one line of a chart. */
  visible = $derived.by(() => {
    if (!this.all) return null;
    const shown = Map.groupBy(
      board.visible.map((run) => run.id),
      (id) => this.#groupOf.get(id),
    );
    return this.all.map(({ id }) => ({ key: id, runs: shown.get(id) ?? [] })).filter(({ runs }) => runs.length > 0);
  });
  /** The lines that charts request. */
  request = $derived.by<GroupRequest | undefined>(() => {
    if (!this.visible) return undefined;
    const { center, band, members } = lineSettings;
    return { groups: this.visible, center, band, withMembers: members && board.visible.length <= MAX_MEMBERS };
  });
  colors: FactColors | null = $derived.by(() => factsOf(this.#colors, colorBy.value, factColors));
  #dashOf = $derived.by(() => factsOf(this.#dashes, dashBy.value, factDashes));

  /** The fact whose mean groups show. */
  metric = $derived.by(() => {
    if (groupMetric.value) return groupMetric.value;
    const main = mainMetric(this.#tags.data ?? []);
    return main === undefined ? undefined : `last(${/[\s()<>=!~,"'`]/.test(main) ? `\`${main}\`` : main})`;
  });
  /** The title of the column with the metric, or undefined if runs are not grouped. */
  metricName = $derived(this.all && this.metric ? metricTitle(this.metric) : undefined);
  startsFolded = $derived(board.runs.length > MAX_UNFOLDED);
  readonly Item = GroupItem;
  readonly Notes = GroupNotes;

  constructor() {
    $effect.root(() => {
      const query = (by: string, metric?: string): GroupsQuery | null =>
        by === "" ? null : { by, metric, changes: factChanges() };
      this.#tags.follow(() => (this.#asked === "" || groupMetric.value ? null : "scalars"));
      this.#groups.follow(() => query(this.#asked, this.#tags.data || groupMetric.value ? this.metric : undefined));
      this.#colors.follow(() => query(colorBy.value));
      this.#dashes.follow(() => query(dashBy.value));
      this.#values.follow(() => (this.all && this.metric ? { field: this.metric, changes: factChanges() } : null));
      $effect(() => {
        board.grouping = this;
      });
    });
  }

  /** Returns the id of the group of a run. */
  groupOf(run: string): string | undefined {
    return this.#groupOf.get(run);
  }

  group(id: string): RunGroup | undefined {
    return this.#byId.get(id);
  }

  /** Returns the color of a run or group, or undefined if facts do not decide on it. */
  color(id: string): string | undefined {
    const token = (name: string): string => theme.token(name);
    const first = this.#byId.get(id)?.runs[0] ?? id;
    if (this.colors) return cssColor(this.colors.of.get(first) ?? null, token);
    const look = this.#lookOf(id);
    return look === undefined ? undefined : token(`--run-${(look % COLORS) + 1}`);
  }

  /** Returns the index of the dash of a run or group, or undefined if facts do not decide on it. */
  dash(id: string): number | undefined {
    const first = this.#byId.get(id)?.runs[0] ?? id;
    if (this.#dashOf) return this.#dashOf.get(first) ?? DASHES - 1;
    const look = this.#lookOf(id);
    // Colors and dashes take turns, so that neighbors differ in both.
    if (look !== undefined) return ((look % COLORS) + Math.floor(look / COLORS)) % DASHES;
    return this.colors ? 0 : undefined;
  }

  #lookOf(id: string): number | undefined {
    const group = id.startsWith("@") ? id : this.#groupOf.get(id);
    return group === undefined ? undefined : this.#looks.of(group);
  }

  /** Returns the metric of a run as text, or undefined if runs are not grouped. */
  valueText(run: string): string | undefined {
    if (!this.all || !this.metric) return undefined;
    const value = this.#values.data?.get(run);
    return value === undefined ? "" : number(value);
  }

  /** Returns the lines of the sidebar: each group, and below it its runs. `folded` has the keys of groups that are not as they start. */
  lines(runs: readonly RunRow[], sort: Sort, folded: ReadonlySet<string>): Line[] {
    const members = Map.groupBy(runs, (run) => this.#groupOf.get(run.id));
    const down = sort.startsWith("-") ? -1 : 1;
    const sorted = sort.endsWith("last")
      ? [...this.all!].sort((a, b) => down * compare(meanOf(a), meanOf(b)))
      : this.all!;
    return sorted.flatMap((group) => {
      const own = members.get(group.id);
      if (!own) return [];
      const open = folded.has(group.id) === this.startsFolded;
      const line: GroupLine = { type: "group", key: group.id, depth: 0, text: group.label, runs: own, open, group };
      return [line, ...(open ? this.#sorted(own, sort).map(runLine) : [])];
    });
  }

  #sorted(runs: RunRow[], sort: Sort): RunRow[] {
    if (!sort.endsWith("last") || !this.metric) return runs;
    const down = sort.startsWith("-") ? -1 : 1;
    const value = (run: RunRow): number => this.#values.data?.get(run.id) ?? NaN;
    return [...runs].sort((a, b) => down * compare(value(a), value(b)));
  }
}

function factsOf<T>(
  { data }: { data: FactGroups | undefined },
  asked: string,
  make: (groups: FactGroups) => T,
): T | null {
  return asked !== "" && data?.asked === asked && !data.problem ? make(data) : null;
}

/** Returns `loss last` for `last(eval/loss)`. */
function metricTitle(metric: string): string {
  const [, aggregate, tag] = /^(\w+)\((.*)\)$/.exec(metric) ?? [];
  return tag ? `${tag.replaceAll("`", "").split("/").at(-1)} ${aggregate}` : metric;
}

const meanOf = ({ mean }: RunGroup): number => Number(mean?.mean ?? NaN);
/** Missing values are equal, and last in ascending order. */
const compare = (a: number, b: number): number => (a === b ? 0 : a !== a ? (b !== b ? 0 : 1) : b !== b ? -1 : a - b);
const runLine = (run: RunRow): RunLine => ({ type: "run", key: run.id, depth: 0, run, text: nameOf(run) });

export type { Grouping };
export const grouping = new Grouping();
