/* State of the Graph tab: which graph is shown, what of it is open, and everything that is derived from it. */
import { untrack } from "svelte";
import { Current } from "../../api/resource.svelte";
import type { GraphHead, GraphItem, GraphScope } from "../../api/types";
import { board } from "../../app/board.svelte";
import { placeAt } from "../../app/series.svelte";
import { theme } from "../../app/theme.svelte";
import { TagFilter } from "../../app/view/tagFilter.svelte";
import { chartTheme } from "../chartTheme.svelte";
import { type Camera, firstView, fit, reveal } from "./camera";
import { type ColorBy, colorByAmount, colorByCategory, type Coloring } from "./coloring";
import { colorByLogged, type LoggedColoring } from "./loggedColors";
import { measureText } from "./measure";
import { type Box, compose, isOpenable, type Picture } from "./picture";
import {
  fetchScopes,
  type GraphSource,
  graphLists,
  heads,
  loggedValues,
  nodes,
  type ScopeQuery,
  scopes,
  searches,
} from "./queries";
import * as choice from "./settings.svelte";
import { findPlace } from "./unfold";

const MIN_WORDS = 1;

export class GraphModel {
  readonly search = new TagFilter("graph.q", "Search nodes");
  readonly list = new Current(graphLists);
  readonly head = new Current(heads);
  readonly details = new Current(nodes);
  readonly hits = new Current(searches);
  readonly logged = new Current(loggedValues);
  /** Size of the plot in CSS pixels. */
  size = $state.raw({ width: 0, height: 0 });
  hovered = $state.raw<Box | null>(null);
  /** Which of the hits was visited last. */
  visited = $state<number | null>(null);

  // ---- which graph
  all = $derived(this.list.data ?? []);
  runs = $derived([...new Set(this.all.map(({ run }) => run))]);
  run = $derived(this.runs.includes(choice.chosenRun.value) ? choice.chosenRun.value : (this.runs[0] ?? ""));
  tags = $derived(this.all.filter(({ run }) => run === this.run).map(({ tag }) => tag));
  tag = $derived(this.tags.includes(choice.chosenTag.value) ? choice.chosenTag.value : (this.tags[0] ?? ""));
  source = $derived.by((): GraphSource | null => {
    const series = this.all.find(({ run, tag }) => run === this.run && tag === this.tag);
    const wall = series?.walls.at(-1);
    return wall === undefined ? null : { run: this.run, tag: this.tag, detail: choice.detail.value, wall };
  });
  graph = $derived<GraphHead | undefined>(this.head.data);

  // ---- the picture
  opened = $derived(new Set(choice.opened.value ?? this.graph?.opened ?? []));
  #splits = $derived(new Set(choice.split.value));
  picture = $derived.by((): Picture | null => {
    const root = this.graph && this.scope("");
    if (!root) return null;
    const members = choice.members.value;
    return compose(root, {
      opened: this.opened,
      memberOf: (path) => members[path] ?? 0,
      scope: (path) => this.scope(path),
      measure: measureText,
    });
  });
  boxes = $derived(new Map(this.picture?.boxes.map((box) => [box.path, box]) ?? []));
  /** Scopes that the picture needs and that did not come with the graph. */
  #wanted = $derived.by((): ScopeQuery[] => {
    const paths = this.picture ? [...this.picture.drawn, ...this.picture.missing] : this.graph ? [""] : [];
    return paths.flatMap((path) => (this.#inHead(path) ? [] : (this.#query(path) ?? [])));
  });
  selectedBox = $derived(choice.selected.value === null ? null : (this.boxOf(choice.selected.value) ?? null));
  camera = $derived.by((): Camera => {
    if (choice.camera.value) return choice.camera.value;
    return firstView({ x: 0, y: 0, ...(this.picture ?? { width: 1, height: 1 }) }, this.size);
  });
  failure = $derived(
    this.#wanted.map((query) => scopes.get(query)).find((result) => result instanceof Error)?.message ?? null,
  );

  // ---- found boxes and colors
  found = $derived.by(() => {
    const words = this.search.words.trim();
    const paths = words && this.hits.data ? this.hits.data.hits.map(({ path }) => path) : [];
    return new Set(paths.flatMap((path) => this.boxOf(path) ?? []));
  });
  quantities = $derived(this.logged.data ?? []);
  quantity = $derived(this.quantities.find(({ quantity }) => quantity === choice.colorBy.value));
  loggedColors = $derived.by((): LoggedColoring | null => {
    if (!this.quantity) return null;
    const ramp = chartTheme().sequential.slice(1);
    return colorByLogged(this.quantity, placeAt(this.quantity.steps, choice.step.value), ramp, theme.token("--error"));
  });
  coloring = $derived.by((): Coloring | null => {
    if (this.loggedColors) return this.loggedColors;
    const items = this.picture?.boxes.filter(({ isOpen }) => !isOpen).map(({ item }) => item) ?? [];
    const token = (name: string): string => theme.token(name);
    const ramp = chartTheme().sequential.slice(1);
    switch (choice.colorBy.value as ColorBy) {
      case "op":
        return colorByCategory(items, (item: GraphItem) => item.type || item.op || "", "operation", token);
      case "device":
        return colorByCategory(items, ({ device }) => device, "device", token);
      case "parameters":
        return colorByAmount(
          items,
          ({ parameters, members }) => parameters / (members?.length ?? 1),
          "parameters",
          ramp,
        );
      case "flops":
        return colorByAmount(
          items,
          ({ flops, members }) => (flops ?? 0) / (members?.length ?? 1),
          "FLOPs",
          ramp,
          this.#flopsNote,
        );
      default:
        return null;
    }
  });
  #flopsNote = $derived.by(() => {
    const { ops = 0, unknown_flops: unknown = 0 } = this.graph ?? {};
    return `Estimated from shapes. ${ops - unknown} of ${ops} operations are known.`;
  });

  /** Requests what is shown. Call it while a component is created. */
  follow(): void {
    this.list.follow(() => board.visible.map(({ id }) => id));
    this.head.follow(() => this.source);
    this.details.follow(() =>
      this.source && choice.selected.value !== null ? { ...this.source, path: choice.selected.value } : null,
    );
    this.logged.follow(() => this.source);
    this.hits.follow(() => {
      const text = this.search.words.trim();
      return this.source && text.length >= MIN_WORDS ? { ...this.source, text } : null;
    });
    $effect(() => {
      const stops = this.#wanted.map((query) => scopes.use(query));
      return () => stops.forEach((stop) => stop());
    });
    $effect(() => {
      void this.search.words;
      untrack(() => (this.visited = null));
    });
  }

  scope(path: string): GraphScope | undefined {
    const known = this.#inHead(path);
    if (known) return known;
    const query = this.#query(path);
    const result = query && scopes.get(query);
    return result instanceof Error ? undefined : (result ?? undefined);
  }

  /** Returns the box that shows a path: its own, or one that stands for it because scopes are merged. */
  boxOf(path: string): Box | undefined {
    const own = this.boxes.get(path);
    if (own) return own;
    return this.picture?.boxes.find(
      ({ item }) => path.startsWith(item.outer) && (item.path.startsWith(`${path}/`) || path === item.outer),
    );
  }

  /** Folds or unfolds a box. Its upper edge stays where it is on the screen. */
  toggle(box: Box): void {
    if (!isOpenable(box.item)) return;
    const opened = new Set(this.opened);
    if (!opened.delete(box.canonical)) opened.add(box.canonical);
    this.#keepPlace(box, () => (choice.opened.value = [...opened]));
  }

  showMember(box: Box, member: number): void {
    const others = Object.entries(choice.members.value).filter(([path]) => path !== box.canonical);
    const members = Object.fromEntries(member ? [...others, [box.canonical, member] as const] : others);
    const before = box.item.members![box.member]!;
    const after = box.item.members![member]!;
    const { value } = choice.selected;
    this.#keepPlace(box, () => {
      choice.members.value = members;
      if (value?.startsWith(`${before}/`)) choice.selected.value = after + value.slice(before.length);
    });
  }

  /** Shows equal blocks one by one. If their scope is merged with them, it becomes a box of its own, which is open. */
  splitBlocks(box: Box): void {
    const around = box.parent?.item.members?.[box.parent.member] ?? box.parent?.path ?? "";
    const own = box.path.slice(0, Math.max(0, box.path.lastIndexOf("/")));
    choice.split.value = [...new Set([...choice.split.value, around, own])];
    if (own !== around) choice.opened.value = [...this.opened, own];
    choice.camera.value = null;
  }

  /** Shows equal blocks of a scope one by one, or folds them again. */
  toggleSplit(path: string): void {
    const paths = new Set(choice.split.value);
    if (!paths.delete(path)) paths.add(path);
    choice.split.value = [...paths];
  }

  isSplit(path: string): boolean {
    return this.#splits.has(path);
  }

  select(path: string | null): void {
    choice.selected.value = path;
    if (path === null) choice.trace.value = "none";
  }

  /** Selects a box, unfolding everything around it, and moves it into view. */
  async show(path: string): Promise<void> {
    const { source } = this;
    if (!source) return;
    const place = await findPlace(path, (scope) => this.#fetch(scope));
    const isNew = place.opened.some((one) => !this.opened.has(one));
    if (isNew) choice.opened.value = [...new Set([...this.opened, ...place.opened])];
    if (Object.keys(place.members).length) choice.members.value = { ...choice.members.value, ...place.members };
    choice.selected.value = place.path;
    this.center(place.path);
  }

  center(path: string): void {
    const box = this.boxOf(path);
    if (box) choice.camera.value = reveal(this.camera, box, this.size);
  }

  fitAll(): void {
    if (this.picture) choice.camera.value = fit({ x: 0, y: 0, ...this.picture }, this.size);
  }

  /** Goes to the next or the previous hit of the search. */
  async visit(by: number): Promise<void> {
    const hits = this.hits.data?.hits ?? [];
    if (!hits.length) return;
    const from = this.visited ?? (by > 0 ? -1 : 0);
    this.visited = (from + by + hits.length) % hits.length;
    await this.show(hits[this.visited]!.path);
  }

  #keepPlace(box: Box, change: () => void): void {
    const { camera } = this;
    const [x, y] = [(box.x + box.width / 2 - camera.x) * camera.scale, (box.y - camera.y) * camera.scale];
    change();
    const keep = (): void => {
      const after = this.boxes.get(box.path);
      if (!after) return;
      const { scale } = camera;
      choice.camera.value = { x: after.x + after.width / 2 - x / scale, y: after.y - y / scale, scale };
    };
    keep();
    // Once more if the content of the box has to be fetched first.
    if (this.opened.has(box.canonical) && !this.boxes.get(box.path)?.isOpen) this.#onceOpen = { path: box.path, keep };
  }

  #onceOpen: { path: string; keep(): void } | null = null;

  /** Moves the camera when a box that was waited for is open. Call it in an effect. */
  settle(): void {
    void this.boxes;
    untrack(() => {
      if (!this.#onceOpen || !this.boxes.get(this.#onceOpen.path)?.isOpen) return;
      this.#onceOpen.keep();
      this.#onceOpen = null;
    });
  }

  #inHead(path: string): GraphScope | undefined {
    return this.isSplit(path) ? undefined : this.graph?.scopes.find((scope) => scope.path === path);
  }

  #query(path: string): ScopeQuery | null {
    return this.source && { ...this.source, path, split: this.isSplit(path) };
  }

  /** Fetches a scope that may not be on screen. */
  async #fetch(path: string): Promise<GraphScope> {
    const known = this.scope(path);
    if (known) return known;
    const query = this.#query(path)!;
    return (await fetchScopes([query]))[0]!;
  }
}
