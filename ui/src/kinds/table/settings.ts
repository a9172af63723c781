/** Settings of the view, all in the URL. */
import { flag, json, list, param, text } from "../../base/url";
import type { Direction } from "../cells";

export const settings = {
  /** Ids of the columns; empty for those that the view chooses. */
  columns: param("t.columns", list, []),
  /** Ids of columns, with `-` before one for descending. Empty for the best value of the first metric. */
  sort: param("t.sort", list, []),
  /** Whether columns are shown whose value is the same in all runs. */
  equal: param("t.equal", flag, false),
  /** Which values of a metric are better, where its name does not tell or tells wrong. */
  better: param<Record<string, Direction | "none">>("t.better", json(), {}),
  /** Whether the comparison also has what is equal. */
  all: param("t.all", flag, false),
  keys: param("t.keys", text, ""),
};
