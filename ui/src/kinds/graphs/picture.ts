/* The picture of a graph: open scopes are laid out from the inside out, and everything is placed in one plane. */
import type { GraphEdge, GraphItem, GraphPort, GraphScope } from "../../api/types";
import { closedSize, FRAME, frameWidth } from "./boxText";
import { layoutScope } from "./layout/layout";
import type { LayoutEdge, LayoutNode } from "./layout/types";

export interface Box {
  /** Path of what it shows, and of the same place in the first of equal blocks. */
  path: string;
  canonical: string;
  item: GraphItem;
  parent: Box | null;
  depth: number;
  isOpen: boolean;
  /** Which of the equal blocks is shown, if it is open. */
  member: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Line {
  /** Boxes that it connects. An edge from a border of an open scope to something inside has the scope as its end. */
  from: Box;
  to: Box;
  kind: "inner" | "enters" | "leaves";
  points: [x: number, y: number][];
  isLane: boolean;
  isBack: boolean;
  /** How many edges it stands for. */
  count: number;
  shape: number[] | null;
  shapes: number;
  ops: number[];
  /** An edge of a node with very many users: drawn as a stub with this label. */
  stub: string | null;
}

export interface Picture {
  width: number;
  height: number;
  boxes: Box[];
  lines: Line[];
  /** Scopes that are open, but not there yet. */
  missing: string[];
  /** All scopes that are drawn. */
  drawn: string[];
}

export interface PictureOptions {
  /** Canonical paths of open boxes. */
  opened: ReadonlySet<string>;
  memberOf(canonical: string): number;
  scope(path: string): GraphScope | undefined;
  measure(text: string, font: string): number;
}

/** Users of one box above which its edges become stubs. */
const MAX_USERS = 12;
const SPREAD_PX = 14;

interface Arranged {
  width: number;
  height: number;
  boxes: Box[];
  lines: Line[];
  /** Operation outside or inside, and x of its port. */
  inputs: { op: number; x: number }[];
  outputs: { op: number; x: number }[];
}

export function compose(root: GraphScope, options: PictureOptions): Picture {
  const composer = new Composer(options);
  const { width, height, boxes, lines } = composer.arrange(root, null, (path) => path, 0);
  return { width, height, boxes, lines, missing: composer.missing, drawn: composer.drawn };
}

class Composer {
  readonly missing: string[] = [];
  readonly drawn: string[] = [];

  constructor(private readonly options: PictureOptions) {}

  /** Lays out a scope, and first all open scopes in it. Places are relative to its upper left corner. */
  arrange(scope: GraphScope, parent: Box | null, canonical: (path: string) => string, depth: number): Arranged {
    this.drawn.push(scope.path);
    const boxes = scope.items.map((item) => this.box(item, parent, canonical, depth));
    const inside = boxes.map((box) => this.open(box, canonical));
    const [inputs, outputs] = parent ? [scope.inputs, scope.outputs] : [[], []];
    const stubs = stubbed(scope.edges, boxes.length);
    const nodes: LayoutNode[] = [
      ...boxes,
      ...inputs.map((): LayoutNode => ({ width: 2, height: 0, port: "in" })),
      ...outputs.map((): LayoutNode => ({ width: 2, height: 0, port: "out" })),
    ];
    const drawn = scope.edges.filter((edge) => !stubs.has(edge));
    const edges = [
      ...drawn.map((edge) => endsOf(edge, boxes, inside)),
      ...portEdges(inputs, boxes.length, false, boxes, inside),
      ...portEdges(outputs, boxes.length + inputs.length, true, boxes, inside),
    ];
    const layout = layoutScope(nodes, edges);
    boxes.forEach((box, i) => {
      [box.x, box.y] = layout.places[i]!;
    });
    const lines: Line[] = edges.map(({ source, target, about }, i) => ({
      from: boxes[source] ?? parent!,
      to: boxes[target] ?? parent!,
      kind: source >= boxes.length ? "enters" : target >= boxes.length ? "leaves" : "inner",
      ...layout.routes[i]!,
      ...about,
      stub: null,
    }));
    for (const edge of stubs) lines.push(stubLine(edge, boxes));
    spreadEnds(lines, boxes);
    boxes.forEach((box, i) => {
      const content = inside[i];
      if (content) place(content, box.x + FRAME.side, box.y + FRAME.top);
    });
    const x = (node: number): number => layout.places[node]![0] + 1;
    return {
      width: layout.width,
      height: layout.height,
      boxes: [...boxes, ...inside.flatMap((one) => one?.boxes ?? [])],
      lines: [...lines, ...inside.flatMap((one) => one?.lines ?? [])],
      inputs: inputs.map(({ op }, i) => ({ op, x: x(boxes.length + i) })),
      outputs: outputs.map(({ op }, i) => ({ op, x: x(boxes.length + inputs.length + i) })),
    };
  }

  private box(item: GraphItem, parent: Box | null, canonical: (path: string) => string, depth: number): Box {
    const own = canonical(item.path);
    const members = item.members?.length ?? 1;
    const size = closedSize(item, this.options.measure);
    return {
      path: item.path,
      canonical: own,
      item,
      parent,
      depth,
      isOpen: false,
      member: Math.min(members - 1, this.options.memberOf(own)),
      x: 0,
      y: 0,
      ...size,
    };
  }

  private open(box: Box, canonical: (path: string) => string): Arranged | null {
    if (!isOpenable(box.item) || !this.options.opened.has(box.canonical)) return null;
    const path = box.item.members?.[box.member] ?? box.item.path;
    const scope = this.options.scope(path);
    if (!scope) {
      this.missing.push(path);
      return null;
    }
    box.isOpen = true;
    // Paths in another member than the first stand for those in the first.
    const inner = (other: string): string =>
      other.startsWith(`${path}/`) ? `${box.canonical}${other.slice(path.length)}` : canonical(other);
    const content = this.arrange(scope, box, inner, box.depth + 1);
    box.width = Math.max(content.width + 2 * FRAME.side, frameWidth(box.item, this.options.measure));
    box.height = content.height + FRAME.top + FRAME.bottom;
    const free = (box.width - 2 * FRAME.side - content.width) / 2;
    if (free > 0) place(content, free, 0);
    for (const port of [...content.inputs, ...content.outputs]) port.x += Math.max(0, free);
    return content;
  }
}

export const isOpenable = ({ kind }: GraphItem): boolean => kind === "scope" || kind === "repeat";

type About = Pick<Line, "count" | "shape" | "shapes" | "ops">;
type LineEdge = LayoutEdge & { about: About };

function endsOf(edge: GraphEdge, boxes: Box[], inside: (Arranged | null)[]): LineEdge {
  const { source, target, count, shape, shapes, ops } = edge;
  return {
    source,
    target,
    sourceDx: portDx(inside[source]?.outputs, ops, boxes[source]!),
    targetDx: portDx(inside[target]?.inputs, ops, boxes[target]!),
    about: { count, shape, shapes, ops },
  };
}

/** Returns how far from the middle of an open box the port of an edge is. Other members of a repeated block have other sources: then
    it is the first port that no edge has by name. */
function portDx(ports: Arranged["inputs"] | undefined, ops: number[], box: Box): number {
  if (!ports?.length) return 0;
  const port = ports.find(({ op }) => ops.includes(op)) ?? ports[0]!;
  return FRAME.side + port.x - box.width / 2;
}

function portEdges(
  ports: GraphPort[],
  first: number,
  isOutput: boolean,
  boxes: Box[],
  inside: (Arranged | null)[],
): LineEdge[] {
  return ports.flatMap(({ op, items, shape }, i) =>
    items.map((item): LineEdge => {
      const about = { count: 1, shape, shapes: 1, ops: [op] };
      const dx = portDx(isOutput ? inside[item]?.outputs : inside[item]?.inputs, [op], boxes[item]!);
      return isOutput
        ? { source: item, target: first + i, sourceDx: dx, about }
        : { source: first + i, target: item, targetDx: dx, about };
    }),
  );
}

function stubbed(edges: GraphEdge[], count: number): Set<GraphEdge> {
  const users = new Uint32Array(count);
  for (const { source } of edges) users[source]! += 1;
  return new Set(edges.filter(({ source }) => users[source]! > MAX_USERS));
}

function stubLine({ source, target, count, shape, shapes, ops }: GraphEdge, boxes: Box[]): Line {
  const [from, to] = [boxes[source]!, boxes[target]!];
  const [x, y] = [to.x + to.width / 2 + Math.min(40, to.width / 4), to.y];
  const points: Line["points"] = [
    [x, y - 14],
    [x, y],
  ];
  const stub = from.item.label;
  return { from, to, kind: "inner", points, isLane: false, isBack: false, count, shape, shapes, ops, stub };
}

/** Spreads the ends of edges over the border of a closed box, in the order of their other ends. */
function spreadEnds(lines: Line[], boxes: Box[]): void {
  for (const [side, at] of [
    ["from", 0],
    ["to", -1],
  ] as const) {
    const byBox = new Map(boxes.map((box): [Box, Line[]] => [box, []]));
    for (const line of lines) if (!line.isLane && line.stub === null) byBox.get(line[side])?.push(line);
    for (const [box, own] of byBox) {
      if (box.isOpen || own.length < 2) continue;
      const step = Math.min(SPREAD_PX, (box.width * 0.6) / (own.length - 1));
      const next = ({ points }: Line): number => points.at(at === 0 ? 1 : -2)![0];
      own.sort((a, b) => next(a) - next(b));
      own.forEach((line, i) => (line.points.at(at)![0] += (i - (own.length - 1) / 2) * step));
    }
  }
}

function place({ boxes, lines }: Arranged, dx: number, dy: number): void {
  for (const box of boxes) {
    box.x += dx;
    box.y += dy;
  }
  for (const { points } of lines)
    for (const point of points) {
      point[0] += dx;
      point[1] += dy;
    }
}
