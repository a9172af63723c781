/* What the layout of one scope gets and returns. Lengths are in pixels of the unzoomed picture. */

export interface LayoutNode {
  width: number;
  height: number;
  /** Ports stand at the upper or lower border of their scope. */
  port?: "in" | "out";
}

export interface LayoutEdge {
  source: number;
  target: number;
  /** Where it leaves and enters, from the middle of the node. */
  sourceDx?: number;
  targetDx?: number;
}

/** A line through `points`. Between two of them it is straight if they have the same x, else a curve. */
export interface Route {
  points: [x: number, y: number][];
  /** Whether it runs beside the picture, because it skips many layers. */
  isLane: boolean;
  /** Whether it closes a cycle, and points upwards. */
  isBack: boolean;
}

export interface Layout {
  width: number;
  height: number;
  /** Upper left corner of each node. */
  places: [x: number, y: number][];
  routes: Route[];
}

/** Layered graph: nodes first, then a dummy for each layer that an edge passes. */
export interface Layered {
  /** Number of real nodes. */
  size: number;
  layer: number[];
  layers: number;
  widths: number[];
  /** Neighbors in the layer above and below. */
  up: number[][];
  down: number[][];
  /** Dummies of each edge, from its upper to its lower end. Null for lanes. */
  chains: (number[] | null)[];
}
