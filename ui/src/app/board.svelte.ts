/* State that all views share: the runs, which of them are visible, their colors, and the connection. */
import { SvelteMap } from "svelte/reactivity";
import { getBoard } from "../api/client";
import { connect, type Connection, onChanged, onConnection, onGrew } from "../api/live";
import type { BoardInfo, Grew, RunEdit, RunRow, RunState } from "../api/types";
import { recall, remember } from "../base/storage";
import { flag, list, param, text } from "../base/url";
import { COLORS, LOOKS, Looks } from "./colors";
import type { Grouping } from "./groups/grouping.svelte";
import { groupBy, usesFacts } from "./groups/params";
import { compile, type Filter, isQuery } from "./filter";
import { latestRun } from "./latestRun";
import { everything, has, only, type Selection, selectionCodec, set } from "./selection";
import { theme } from "./theme.svelte";

export type Status = "loading" | "live" | "lost" | "empty" | "broken";

interface Pulse {
  state: RunState;
  last: number | null;
  bytes: number;
}

/** An edit of runs that is on screen and may be missing from the last response. */
interface Amendment {
  ids: ReadonlySet<string>;
  set: Partial<RunRow>;
  isSaved: boolean;
}

const query = param("q", text, "");
const selection = param<Selection>("runs", selectionCodec, everything);
/** Which of the `hidden` and `archived` runs are listed nevertheless. */
const also = param("list", list, []);
const follow = param("follow", flag, false);
/** A running run without events for this long has stopped. Only the server knows whether it stalled or finished. */
const QUIET_MS = 35_000;

class Board {
  info = $state.raw<BoardInfo | null>(null);
  /** The rows of the last response, without later edits. */
  #answered = $state.raw<RunRow[]>([]);
  #amendments = $state.raw<Amendment[]>([]);
  runs = $derived(
    this.#amendments.reduce(
      (rows, { ids, set }) => rows.map((run) => (ids.has(run.id) ? { ...run, ...set } : run)),
      this.#answered,
    ),
  );
  /** The run under the pointer. Its row, its line and its row in the tooltip are emphasized together. */
  emphasized = $state<string | null>(null);
  connection = $state.raw<Connection>({ up: true });
  /** Why the logdir could not be loaded. Not set when the connection is lost later. */
  problem = $state<string | null>(null);

  /** State, last point and size of runs. They change with every point, so they are not part of the rows: the lists need no update. */
  #pulses = new SvelteMap<string, Pulse>();
  /** Time of the last event of each running run. */
  #live = new SvelteMap<string, number>();
  /** Size of all runs. */
  totalBytes = $state(0);
  #looks: Looks | null = null;
  #lacksGrouping = $state(false);
  #looksVersion = $state(0);

  #byId = $derived(new Map(this.runs.map((run) => [run.id, run])));
  #filter = $derived(isQuery(query.value) ? null : compile(query.value));
  /** The runs that a query selects; null if it has an error. Set by queries.svelte.ts. */
  matched = $state.raw<{ query: string; runs: ReadonlySet<string> | null } | null>(null);
  queryProblem = $state<string | null>(null);
  /** Whether a plain filter was tested. */
  #hasTested = false;
  /** Whether the runs of a query are awaited, and there are none of an earlier one. */
  awaitsQuery = $derived(this.#filter === null && this.matched === null && !this.#hasTested);
  /** With an invalid filter, and until the runs of a query are known, the last one applies. */
  #lastTest: (run: RunRow) => boolean = () => true;
  #test = $derived.by(() => {
    const { matched } = this;
    const filter = this.#filter;
    if (filter) this.#hasTested = true;
    if (filter?.error === null) this.#lastTest = (run) => isNamed(run, filter);
    else if (!filter && matched?.query === query.value && matched.runs)
      this.#lastTest = (run) => matched.runs!.has(run.id);
    return this.#lastTest;
  });
  #lastShown: RunRow[] = [];
  /** Groups of runs, and looks by facts. Set by groups/grouping.svelte.ts, once the URL asks for them. */
  grouping = $state.raw<Grouping | null>(null);
  /** Whether runs are to be grouped, and the groups are not known yet. */
  awaitsGroups = $derived(groupBy.value !== "" && (this.grouping?.isAwaited ?? !this.#lacksGrouping));

  /** Error in the filter, or null. */
  filterError = $derived(this.#filter?.error ?? null);

  /** The runs in the sidebar: neither hidden nor archived, and matching the filter. */
  listed = $derived.by(() => {
    const [hidden, archived] = [this.lists("hidden"), this.lists("archived")];
    const test = this.#test;
    if (this.awaitsQuery) return [];
    return this.runs.filter((run) => (hidden || !run.hidden) && (archived || !run.archived) && test(run));
  });

  /** The selection; with `follow`, the most recently started run. */
  #chosen = $derived.by(() => {
    if (!follow.value) return selection.value;
    const newest = latestRun(this.listed);
    return only(newest ? [newest.id] : []);
  });

  /** The runs on charts: listed and selected. The array stays the same while its rows do. */
  visible = $derived.by(() => {
    const chosen = this.#chosen;
    const shown = this.listed.filter((run) => has(chosen, run.id));
    const before = this.#lastShown;
    if (shown.length === before.length && shown.every((run, i) => run === before[i])) return before;
    return (this.#lastShown = shown);
  });

  status: Status = $derived.by(() => {
    if (this.info === null) return this.problem === null ? "loading" : "broken";
    if (this.info.loading && this.runs.length === 0) return "loading";
    if (!this.connection.up) return "lost";
    return this.runs.length === 0 ? "empty" : "live";
  });

  /** Title of the page: the one given at the start, else the names of the logdirs. */
  title = $derived.by(() => {
    if (this.info === null) return "";
    const folders = this.info.logdirs.map((path) => `${path.replace(/\/+$/, "").split("/").at(-1)}/`);
    return this.info.title || folders.slice(0, 3).join(" ") + (folders.length > 3 ? " …" : "");
  });

  run(id: string): RunRow | undefined {
    return this.#byId.get(id);
  }

  isSelected(id: string): boolean {
    return has(this.#chosen, id);
  }

  get liveCount(): number {
    return this.#live.size;
  }

  /** Returns the run's color in the current theme, in a form that a canvas accepts. */
  color(id: string): string {
    const given = this.grouping?.color(id);
    if (given) return given;
    const own = this.#byId.get(id)?.colour;
    if (typeof own === "string") return own;
    return theme.token(`--run-${((own ?? this.#look(id)) % COLORS) + 1}`);
  }

  /** Returns the index of the run's dash, see `dashOf`. Runs of the same color differ in it. */
  dash(id: string): number {
    return this.grouping?.dash(id) ?? Math.floor(this.#look(id) / COLORS);
  }

  #look(id: string): number {
    void this.#looksVersion;
    return this.#looks?.of(id) ?? 0;
  }

  label(id: string): string {
    const run = this.#byId.get(id);
    return run ? run.alias || run.label : (this.grouping?.group(id)?.label ?? id);
  }

  state(id: string): RunState {
    const members = this.grouping?.group(id)?.runs;
    if (members) return members.some((run) => this.#live.has(run)) ? "live" : "finished";
    return this.#pulses.get(id)?.state ?? this.#byId.get(id)?.state ?? "finished";
  }

  /** Returns the wall time of the run's last point, NaN without one. */
  last(id: string): number {
    return this.#pulses.get(id)?.last ?? this.#byId.get(id)?.last ?? NaN;
  }

  bytes(id: string): number {
    return this.#pulses.get(id)?.bytes ?? this.#byId.get(id)?.bytes ?? 0;
  }

  select(ids: Iterable<string>, shown: boolean): void {
    this.#choose(set(this.#chosen, ids, shown));
  }

  selectAll(): void {
    this.#choose(everything);
  }

  selectOnly(ids: Iterable<string>): void {
    this.#choose(only(ids));
  }

  /** Selects only this run. A second time, restores the previous selection. */
  isolate(id: string): void {
    const alone = this.#chosen.mode === "only" && this.#chosen.ids.size === 1 && this.#chosen.ids.has(id);
    if (alone) this.#choose(this.#beforeAlone);
    else {
      this.#beforeAlone = this.#chosen;
      this.#choose(only([id]));
    }
  }

  get following(): boolean {
    return follow.value;
  }

  set following(on: boolean) {
    follow.value = on;
  }

  #beforeAlone: Selection = everything;

  #choose(next: Selection): void {
    selection.value = next;
    follow.value = false;
  }

  /** Whether the hidden or archived runs are listed nevertheless. */
  lists(what: "hidden" | "archived"): boolean {
    return also.value.includes(what);
  }

  list(what: "hidden" | "archived", on: boolean): void {
    also.value = on ? [...also.value, what] : also.value.filter((other) => other !== what);
  }

  /** Shows a change before the server has saved it, and over older responses. Call the returned function with whether it was saved. */
  amend(ids: readonly string[], change: RunEdit): (isSaved: boolean) => void {
    const set = Object.fromEntries(Object.entries(change).map(([key, value]) => [key, value ?? undefined]));
    const amendment: Amendment = { ids: new Set(ids), set, isSaved: false };
    this.#amendments = [...this.#amendments, amendment];
    return (isSaved) => {
      amendment.isSaved = isSaved;
      if (!isSaved) this.#amendments = this.#amendments.filter((other) => other !== amendment);
    };
  }

  /** Loads the board and follows changes. */
  start(): () => void {
    void this.reload();
    const stops = [
      onGrew((event) => this.#grew(event)),
      onChanged(() => void this.reload()),
      onConnection((now) => this.#connected(now)),
    ];
    connect();
    const watch = setInterval(() => this.#checkQuiet(), 5000);
    return () => {
      clearInterval(watch);
      for (const stop of stops) stop();
    };
  }

  #reading: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  /** Loads the board again. One request at a time, so that an older response never arrives after a newer one. */
  reload(): Promise<void> {
    if (!this.#reading) return (this.#reading = this.#read().finally(() => (this.#reading = null)));
    return (this.#next ??= this.#reading.then(() => {
      this.#next = null;
      return this.reload();
    }));
  }

  async #read(): Promise<void> {
    // Only edits saved before the request are certain to be in its response.
    const held = new Set(this.#amendments.filter(({ isSaved }) => isSaved));
    try {
      const info = await getBoard();
      this.#amendments = this.#amendments.filter((amendment) => !held.has(amendment));
      this.#take(info);
      this.problem = null;
      this.#catchUp();
    } catch (reason) {
      this.problem = reason instanceof Error ? reason.message : String(reason);
    }
  }

  #take(info: BoardInfo): void {
    const looks = (this.#looks ??= new Looks(recall<[string, number][]>(looksKey(info), [])));
    if (looks.add(info.runs)) this.#keepLooks(info);
    const before = this.#byId;
    const present = new Set(info.runs.map((run) => run.id));
    for (const id of this.#live.keys()) if (!present.has(id)) this.#live.delete(id);
    this.#answered = info.runs.map((run) => {
      const old = before.get(run.id);
      this.#pulse(run.id, run);
      return old && sameRow(old, run) ? old : run;
    });
    this.info = info;
    this.totalBytes = info.runs.reduce((sum, run) => sum + run.bytes, 0);
  }

  /** Makes sure that no two visible runs look alike. Call it in an effect. */
  separateLooks(): void {
    const ids = this.visible.map((run) => run.id);
    if (this.runs.length > LOOKS)
      void import("./separateLooks").then(
        ({ separateLooks }) => separateLooks(this.#looks!, ids) && this.#keepLooks(this.info!),
        () => {}, // Disconnected, which the header shows.
      );
  }

  /** Loads what runs queries, once there is one. Call it in an effect. */
  runQueries(): void {
    if (this.#filter === null)
      import("./queries.svelte").catch(() => {
        this.matched = { query: query.value, runs: null }; // Disconnected, which the header shows.
      });
  }

  /** Loads what groups runs, once the URL asks for it. Call it in an effect. */
  groupRuns(): void {
    if (usesFacts())
      import("./groups/grouping.svelte").catch(() => {
        this.#lacksGrouping = true; // Disconnected, which the header shows.
      });
  }

  #keepLooks(info: BoardInfo): void {
    this.#looksVersion += 1;
    remember(looksKey(info), this.#looks!.entries());
  }

  #grew(event: Grew): void {
    let unknown = false;
    for (const [id, change] of Object.entries(event.runs)) {
      if (this.#byId.has(id)) this.totalBytes += change.bytes - this.bytes(id);
      this.#pulse(id, change);
      // The first data of a kind adds a tab, and findings mark their run.
      unknown ||=
        !this.#byId.has(id) || Object.keys(change.kinds).some((kind) => kind === "findings" || !this.info?.kinds[kind]);
    }
    if (unknown) void this.reload();
  }

  #checkQuiet(): void {
    const quiet = [...this.#live].filter(([, heard]) => Date.now() - heard > QUIET_MS);
    for (const [id] of quiet) this.#live.set(id, Date.now());
    if (quiet.length > 0) void this.reload();
  }

  #pulse(id: string, { state, last, bytes }: Pulse): void {
    if (state === "live") this.#live.set(id, Date.now());
    else this.#live.delete(id);
    const old = this.#pulses.get(id);
    const row = old ?? this.#byId.get(id);
    if (row && (row.state !== state || row.last !== last || row.bytes !== bytes))
      this.#pulses.set(id, { state, last, bytes });
  }

  #connected(now: Connection): void {
    const back = now.up && !this.connection.up;
    this.connection = now;
    if (back) void this.reload();
    else this.#catchUp();
  }

  /** Reloads if something changed between the request and the opening of the stream. */
  #catchUp(): void {
    const at = this.connection.up && this.connection.at;
    if (at && this.info && (this.info.cursor < at.cursor || (this.info.loading && !at.loading))) void this.reload();
  }
}

function isNamed(run: RunRow, { test }: Filter): boolean {
  return test(run.name) || (run.alias !== undefined && test(run.alias)) || (run.tags?.some(test) ?? false);
}

const STILL = ["label", "path", "start", "alias", "note", "colour", "hidden", "archived"] as const;

/** Whether two rows differ only in what changes with every point. */
function sameRow(a: RunRow, b: RunRow): boolean {
  return (
    STILL.every((key) => a[key] === b[key]) &&
    String(a.tags ?? []) === String(b.tags ?? []) &&
    a.damage?.records === b.damage?.records &&
    a.damage?.where.length === b.damage?.where.length &&
    a.findings?.count === b.findings?.count &&
    String(a.dismissed ?? []) === String(b.dismissed ?? [])
  );
}

function looksKey(info: BoardInfo): string {
  return `looks.${info.logdirs.join("|")}`;
}

export const board = new Board();
export { query };
