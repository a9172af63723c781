/** Settings of the view, all in the URL. */
import { json, list, oneOf, param, text } from "../../base/url";
import type { AxisOptions } from "./axis";
import type { Brushes } from "./brush";
import type { Direction } from "../cells";

export const VALUES = [
  { value: "last", title: "last" },
  { value: "min", title: "smallest" },
  { value: "max", title: "largest" },
  { value: "best", title: "at best step" },
] as const;

export const settings = {
  value: param("hp.value", oneOf("last", "min", "max", "best"), "last"),
  /** The metric whose best step counts. */
  bestOf: param("hp.at", text, ""),
  /** Ids of the columns; empty for those that the view chooses. */
  columns: param("hp.columns", list, []),
  /** Ids of the axes in an order of one's own. */
  order: param("hp.order", list, []),
  axes: param<Record<string, AxisOptions>>("hp.axes", json(), {}),
  brushes: param<Brushes>("hp.brush", json(), {}),
  color: param("hp.color", text, ""),
  /** Which values of a metric are better, where its name does not tell. */
  better: param<Record<string, Direction>>("hp.better", json(), {}),
  plot: param("hp.plot", oneOf("axes", "matrix"), "axes"),
  side: param("hp.side", oneOf("scatter", "importance"), "scatter"),
  x: param("hp.x", text, ""),
  y: param("hp.y", text, ""),
  /** Id of the column, with `-` before it for descending. */
  sort: param("hp.sort", text, ""),
  filter: param("hp.find", text, ""),
  /** The part that a phone shows. */
  part: param("hp.part", oneOf("axes", "scatter", "table"), "axes"),
};
