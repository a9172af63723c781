/* State of the sidebar: its width, selected rows, the focused row, open menu and dialog. */
import { SHORT, type SharedEnds } from "../../base/nameParts";
import { recall, remember } from "../../base/storage";
import { list, oneOf, param } from "../../base/url";
import type { RunRow } from "../../api/types";
import type { Anchor } from "../../widgets/popoverPosition";
import { board } from "../board.svelte";
import { SIDEBAR_PX } from "./sidebarWidth";
import { arrange, type Line, lines, type Sort } from "./tree";

const sort = param("sort", oneOf("name", "-name", "last", "-last"), "name");
const group = param("group", oneOf("folder", "none"), "folder");
const folded = param("fold", list, []);

export type Ask = { what: "delete"; runs: RunRow[] } | { what: "details"; run: RunRow };

class Panel {
  width = $state(recall("runs.width", SIDEBAR_PX.initial));
  rail = $state(recall<number>("runs.rail", 0) === 1);
  /** The focused row, and whether the list has the focus. */
  at = $state<string | null>(null);
  hasKeys = $state(false);
  picked = $state.raw<ReadonlySet<string>>(new Set());
  renaming = $state<string | null>(null);
  asked = $state.raw<Ask | null>(null);
  menu = $state.raw<{ runs: RunRow[]; anchor: Anchor } | null>(null);
  /** Set by the list, so that an action can scroll to a row and focus it. */
  reveal: (key: string) => void = () => {};
  takeKeys: () => void = () => {};
  filter = $state<HTMLInputElement>();

  #folded = $derived(new Set(folded.value));
  #ordered = $derived(arrange(board.runs, sort.value));
  lines = $derived.by<Line[]>(() => {
    const listed = new Set(board.listed);
    const runs = listed.size === this.#ordered.length ? this.#ordered : this.#ordered.filter((run) => listed.has(run));
    if (board.grouping?.all) return board.grouping.lines(runs, sort.value, this.#folded);
    return lines(runs, { folders: group.value === "folder", folded: this.#folded });
  });
  /** What the names of runs and rows share, to shorten long ones. */
  sharedEnds = $state.raw<Map<string, SharedEnds>>();
  /** Whether any name has a folder, so that grouping makes sense. */
  hasFolders = $derived(board.runs.some((run) => (run.alias || run.label).includes("/")));
  pickedRuns = $derived(this.picked.size === 0 ? [] : board.listed.filter((run) => this.picked.has(run.id)));
  line = $derived(this.lines.find((line) => line.key === this.at) ?? null);

  get sort(): Sort {
    return sort.value;
  }

  /** Sorts by a column; a second time in reverse. Times start with the latest. */
  sortBy(column: "name" | "last"): void {
    const first: Sort = column === "name" ? "name" : "-last";
    const second: Sort = column === "name" ? "-name" : "last";
    sort.value = sort.value === first ? second : first;
  }

  get group(): "folder" | "none" {
    return group.value;
  }

  set group(value) {
    group.value = value;
  }

  /** Folds or opens a line. The URL has the lines that are not as they start. */
  fold(key: string, open: boolean): void {
    const startsFolded = key.startsWith("@") && board.grouping?.startsFolded === true;
    folded.value = open !== startsFolded ? folded.value.filter((other) => other !== key) : [...folded.value, key];
  }

  /** Handles a click: focuses this row; with Shift also selects the range to it, with Control or Command this row. */
  pick(key: string, how: { shift: boolean; more: boolean }): void {
    if (how.shift && this.at) this.selectTo(key);
    else if (how.more) this.picked = toggled(this.picked, key);
    else this.picked = new Set();
    this.at = key;
  }

  /** Adds the rows from the focused one to this one to the selection. */
  selectTo(key: string): void {
    const ends = [this.at ?? key, key].map((end) => this.lines.findIndex((line) => line.key === end));
    const range = this.lines.slice(Math.min(...ends), Math.max(...ends) + 1).filter(({ type }) => type === "run");
    this.picked = new Set([...this.picked, ...range.map((line) => line.key)]);
  }

  /** Returns the runs that an action on this row concerns: the selected ones if it is among them, else its own. */
  targets(line: Line): RunRow[] {
    if (line.type !== "run") return line.runs;
    return this.picked.has(line.key) ? this.pickedRuns : [line.run];
  }

  /** Finds what names share, if one of them is long. Call it in an effect. */
  compareNames(): void {
    const names = [...this.lines.map((line) => line.text), ...board.listed.map((run) => board.label(run.id))];
    if (names.some((name) => name.length > SHORT))
      void import("../../base/shortNames").then(
        ({ sharedEnds }) => (this.sharedEnds = sharedEnds(names)),
        () => {}, // Disconnected, which the header shows. Names are cut in the middle.
      );
  }

  resize(width: number): void {
    this.width = Math.round(Math.max(SIDEBAR_PX.minimum, Math.min(SIDEBAR_PX.maximum, width)));
    remember("runs.width", this.width);
  }

  toggleRail(): void {
    this.rail = !this.rail;
    remember("runs.rail", Number(this.rail));
  }
}

function toggled(keys: ReadonlySet<string>, key: string): Set<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}

export const panel = new Panel();
