/* What the whole board shares: the runs and which of them are shown, in which colors, and how the connection is. */
import { SvelteMap } from "svelte/reactivity";
import { getBoard } from "../api/client";
import { connect, type Connection, onChanged, onConnection, onGrew } from "../api/live";
import type { BoardInfo, Grew, RunEdit, RunRow, RunState } from "../api/types";
import { recall, remember } from "../base/storage";
import { flag, list, param, text } from "../base/url";
import { Slots } from "./colors";
import { compile } from "./filter";
import { everything, has, only, type Selection, selectionCodec, set } from "./selection";
import { theme } from "./theme.svelte";

export type Status = "loading" | "live" | "lost" | "empty" | "broken";

interface Pulse {
  state: RunState;
  last: number | null;
}

/** An edit of runs that is on screen and may be missing from the last response. */
interface Amendment {
  ids: ReadonlySet<string>;
  set: Partial<RunRow>;
  isSaved: boolean;
}

const query = param("q", text, "");
const selection = param<Selection>("runs", selectionCodec, everything);
/** What is put away but listed all the same: `hidden`, `archived`. */
const also = param("list", list, []);
const follow = param("follow", flag, false);
/** A live run that is quiet for longer has stopped: only the server knows whether it stalled or finished. */
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
  /** The run under the pointer, anywhere: its row, its line and its row in the tooltip stand out together. */
  emphasized = $state<string | null>(null);
  connection = $state.raw<Connection>({ up: true });
  /** Why there is nothing to show at all; a lost connection later is no reason. */
  problem = $state<string | null>(null);

  /** State and last point change with every point: apart from the rows, so that a live run does not redo the lists. */
  #pulses = new SvelteMap<string, Pulse>();
  /** When each live run was last heard of. */
  #live = new SvelteMap<string, number>();
  #slots: Slots | null = null;
  #slotsVersion = $state(0);

  #byId = $derived(new Map(this.runs.map((run) => [run.id, run])));
  #filter = $derived(compile(query.value));
  /** A filter that is no expression leaves the list to the last one that was. */
  #lastGood = compile("");
  #goodFilter = $derived.by(() => (this.#filter.error === null ? (this.#lastGood = this.#filter) : this.#lastGood));
  #lastShown: RunRow[] = [];

  /** What is wrong with the filter, or null. */
  filterError = $derived(this.#filter.error);

  /** What the panel lists: not put away, and found by the filter. */
  listed = $derived.by(() => {
    const [hidden, archived] = [this.lists("hidden"), this.lists("archived")];
    return this.runs.filter((run) => (hidden || !run.hidden) && (archived || !run.archived) && this.#matches(run));
  });

  /** With `follow` the run that started last, whichever that is by now. */
  #chosen = $derived.by(() => {
    if (!follow.value) return selection.value;
    const newest = this.listed.reduce<RunRow | null>(
      (best, run) => (best && (best.start ?? 0) >= (run.start ?? 0) ? best : run),
      null,
    );
    return only(newest ? [newest.id] : []);
  });

  /** The runs on screen: listed and ticked. Stays the same array while it holds the same rows. */
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

  /** What the page is called: the title that was asked for, else the logdir's own name. */
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

  /** The run's color in the theme on screen, as any canvas takes it. */
  color(id: string): string {
    const own = this.#byId.get(id)?.colour;
    if (typeof own === "string") return own;
    void this.#slotsVersion;
    return theme.token(`--run-${(own ?? this.#slots?.of(id) ?? 0) + 1}`);
  }

  label(id: string): string {
    const run = this.#byId.get(id);
    return run ? run.alias || run.label : id;
  }

  state(id: string): RunState {
    return this.#pulses.get(id)?.state ?? this.#byId.get(id)?.state ?? "finished";
  }

  /** Wall time of the run's last point; not a number where it has none. */
  last(id: string): number {
    return this.#pulses.get(id)?.last ?? this.#byId.get(id)?.last ?? NaN;
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

  /** Only this run; asked again, what was shown before it. */
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

  /** What was put away and is listed nevertheless. */
  lists(what: "hidden" | "archived"): boolean {
    return also.value.includes(what);
  }

  list(what: "hidden" | "archived", on: boolean): void {
    also.value = on ? [...also.value, what] : also.value.filter((other) => other !== what);
  }

  /** Shows a change before the server has it, also over older responses. Call the returned function with whether the server took it. */
  amend(ids: readonly string[], change: RunEdit): (isSaved: boolean) => void {
    const set = Object.fromEntries(Object.entries(change).map(([key, value]) => [key, value ?? undefined]));
    const amendment: Amendment = { ids: new Set(ids), set, isSaved: false };
    this.#amendments = [...this.#amendments, amendment];
    return (isSaved) => {
      amendment.isSaved = isSaved;
      if (!isSaved) this.#amendments = this.#amendments.filter((other) => other !== amendment);
    };
  }

  /** Starts reading and following. */
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

  /** One at a time, so that an older answer never comes after a newer one. */
  reload(): Promise<void> {
    if (!this.#reading) return (this.#reading = this.#read().finally(() => (this.#reading = null)));
    return (this.#next ??= this.#reading.then(() => {
      this.#next = null;
      return this.reload();
    }));
  }

  async #read(): Promise<void> {
    // A response is sure to hold only the edits that were saved before its request.
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
    const slots = (this.#slots ??= new Slots(recall<[string, number][]>(slotsKey(info), [])));
    if (slots.add(info.runs)) {
      this.#slotsVersion += 1;
      remember(slotsKey(info), slots.entries());
    }
    const before = this.#byId;
    const present = new Set(info.runs.map((run) => run.id));
    for (const id of this.#live.keys()) if (!present.has(id)) this.#live.delete(id);
    this.#answered = info.runs.map((run) => {
      const old = before.get(run.id);
      this.#pulse(run.id, run);
      return old && sameRow(old, run) ? old : run;
    });
    this.info = info;
  }

  #grew(event: Grew): void {
    let unknown = false;
    for (const [id, change] of Object.entries(event.runs)) {
      this.#pulse(id, change);
      // A kind that the logdir had none of gets its tab at once.
      unknown ||= !this.#byId.has(id) || Object.keys(change.kinds).some((kind) => !this.info?.kinds[kind]);
    }
    if (unknown) void this.reload();
  }

  #checkQuiet(): void {
    const quiet = [...this.#live].filter(([, heard]) => Date.now() - heard > QUIET_MS);
    for (const [id] of quiet) this.#live.set(id, Date.now());
    if (quiet.length > 0) void this.reload();
  }

  #pulse(id: string, { state, last }: Pulse): void {
    if (state === "live") this.#live.set(id, Date.now());
    else this.#live.delete(id);
    const old = this.#pulses.get(id);
    const row = old ?? this.#byId.get(id);
    if (row && (row.state !== state || row.last !== last)) this.#pulses.set(id, { state, last });
  }

  #connected(now: Connection): void {
    const back = now.up && !this.connection.up;
    this.connection = now;
    if (back) void this.reload();
    else this.#catchUp();
  }

  /** What happened between our question and the opening of the stream was told to nobody. */
  #catchUp(): void {
    const at = this.connection.up && this.connection.at;
    if (at && this.info && (this.info.cursor < at.cursor || (this.info.loading && !at.loading))) void this.reload();
  }

  #matches(run: RunRow): boolean {
    const filter = this.#goodFilter;
    return (
      filter.test(run.name) ||
      (run.alias !== undefined && filter.test(run.alias)) ||
      (run.tags?.some((tag) => filter.test(tag)) ?? false)
    );
  }
}

const STILL = ["label", "path", "start", "alias", "note", "colour", "hidden", "archived"] as const;

/** Equal but for what changes with every point. */
function sameRow(a: RunRow, b: RunRow): boolean {
  return (
    STILL.every((key) => a[key] === b[key]) &&
    String(a.tags ?? []) === String(b.tags ?? []) &&
    a.damage?.records === b.damage?.records
  );
}

function slotsKey(info: BoardInfo): string {
  return `slots.${info.logdirs.join("|")}`;
}

export const board = new Board();
export { query };
