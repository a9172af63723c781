/* What the whole board shares: the runs and which of them are shown, in which colours, and how the connection is. */
import { SvelteMap } from "svelte/reactivity";
import { getBoard } from "../api/client";
import { connect, type Connection, onChanged, onConnection, onGrew } from "../api/live";
import type { BoardInfo, Grew, RunRow, RunState } from "../api/types";
import { param, text } from "../base/url";
import { Slots } from "./colours";
import { compile } from "./filter";
import { everything, has, only, type Selection, selectionCodec, set } from "./selection";
import { theme } from "./theme.svelte";

export type Status = "loading" | "live" | "lost" | "empty" | "broken";

interface Pulse {
  state: RunState;
  last: number;
}

const query = param("q", text, "");
const selection = param<Selection>("runs", selectionCodec, everything);
const also = param("list", text, "");

class Board {
  info = $state.raw<BoardInfo | null>(null);
  runs = $state.raw<RunRow[]>([]);
  /** The run under the pointer, anywhere: its row, its line and its row in the tooltip stand out together. */
  emphasised = $state<string | null>(null);
  connection = $state.raw<Connection>({ up: true });
  /** Why there is nothing to show at all; a lost connection later is no reason. */
  problem = $state<string | null>(null);

  /** State and last point change with every point: apart from the rows, so that a live run does not redo the lists. */
  #pulses = new SvelteMap<string, Pulse>();
  #slots: Slots | null = null;
  #slotsVersion = $state(0);

  #byId = $derived(new Map(this.runs.map((run) => [run.id, run])));
  #filter = $derived(compile(query.value));
  #lastGood: RunRow[] = [];
  #lastShown: RunRow[] = [];

  /** What is wrong with the filter, or null. */
  filterError = $derived(this.#filter.error);

  /** What the panel lists: not put away, and found by the filter. A filter that is no expression leaves the list as it was. */
  listed = $derived.by(() => {
    if (this.#filter.error !== null) return this.#lastGood;
    const [hidden, archived] = [also.value.includes("hidden"), also.value.includes("archived")];
    const found = this.runs.filter((run) => (hidden || !run.hidden) && (archived || !run.archived) && this.#matches(run));
    return (this.#lastGood = found);
  });

  /** The runs on screen: listed and ticked. Stays the same array while it holds the same rows. */
  visible = $derived.by(() => {
    const chosen = selection.value;
    const shown = this.listed.filter((run) => has(chosen, run.id));
    const before = this.#lastShown;
    if (shown.length === before.length && shown.every((run, i) => run === before[i])) return before;
    return (this.#lastShown = shown);
  });

  status: Status = $derived.by(() => {
    if (this.info === null) return this.problem === null ? "loading" : "broken";
    if (!this.connection.up) return "lost";
    return this.runs.length === 0 ? "empty" : "live";
  });

  run(id: string): RunRow | undefined {
    return this.#byId.get(id);
  }

  isSelected(id: string): boolean {
    return has(selection.value, id);
  }

  /** The run's colour in the theme on screen, as any canvas takes it. */
  colour(id: string): string {
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

  /** Wall time of the run's last point. */
  last(id: string): number {
    return this.#pulses.get(id)?.last ?? this.#byId.get(id)?.last ?? 0;
  }

  select(ids: Iterable<string>, shown: boolean): void {
    selection.value = set(selection.value, ids, shown);
  }

  selectAll(): void {
    selection.value = everything;
  }

  selectOnly(ids: Iterable<string>): void {
    selection.value = only(ids);
  }

  /** Starts reading and following. */
  start(): () => void {
    void this.reload();
    const stops = [onGrew((event) => this.#grew(event)), onChanged(() => void this.reload()), onConnection((now) => this.#connected(now))];
    connect();
    return () => stops.forEach((stop) => stop());
  }

  async reload(): Promise<void> {
    try {
      this.#take(await getBoard());
      this.problem = null;
    } catch (reason) {
      this.problem = reason instanceof Error ? reason.message : String(reason);
    }
  }

  #take(info: BoardInfo): void {
    const slots = (this.#slots ??= new Slots(rememberedSlots(info)));
    if (slots.add(info.runs)) {
      this.#slotsVersion += 1;
      rememberSlots(info, slots);
    }
    const before = this.#byId;
    this.runs = info.runs.map((run) => {
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
      unknown ||= !this.#byId.has(id);
    }
    if (unknown) void this.reload();
  }

  #pulse(id: string, { state, last }: Pulse): void {
    const old = this.#pulses.get(id);
    const row = old ?? this.#byId.get(id);
    if (row && (row.state !== state || row.last !== last)) this.#pulses.set(id, { state, last });
  }

  #connected(now: Connection): void {
    const back = now.up && !this.connection.up;
    this.connection = now;
    if (back) void this.reload();
  }

  #matches(run: RunRow): boolean {
    const filter = this.#filter;
    return filter.test(run.name) || (run.alias !== undefined && filter.test(run.alias)) || (run.tags?.some((tag) => filter.test(tag)) ?? false);
  }
}

/** Equal but for what changes with every point. */
function sameRow(a: RunRow, b: RunRow): boolean {
  const still = (run: RunRow) => JSON.stringify({ ...run, state: 0, last: 0, bytes: 0 });
  return still(a) === still(b);
}

function slotsKey(info: BoardInfo): string {
  return `lossboard.slots.${info.logdirs.join("|")}`;
}

function rememberedSlots(info: BoardInfo): [string, number][] {
  try {
    return JSON.parse(localStorage.getItem(slotsKey(info)) ?? "[]");
  } catch {
    return []; // storage is off, or not ours
  }
}

function rememberSlots(info: BoardInfo, slots: Slots): void {
  try {
    localStorage.setItem(slotsKey(info), JSON.stringify(slots.entries()));
  } catch {
    // Storage is off or full: the names decide again on the next visit.
  }
}

export const board = new Board();
export { also, query, selection };
