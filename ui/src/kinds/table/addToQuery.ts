/** Conditions made of cells, added to the query of the runs. */
import { compile, isQuery } from "../../app/filter";
import type { Cell } from "../cells";

export type Comparison = "=" | "!=" | "<=" | ">=";

/** Returns the condition that a fact has, or has not, the value of a cell. */
export function condition(field: string, comparison: Comparison, value: Cell): string {
  if (value === null) return comparison === "=" ? `not exists ${field}` : `exists ${field}`;
  return `${field} ${comparison} ${literal(value)}`;
}

function literal(value: string | number | boolean): string {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return `"${value.replace(/[\\"]/g, "\\$&")}"`;
  if (Number.isNaN(value)) return "nan";
  return Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf";
}

/** Returns a query with one more condition. */
export function addToQuery(query: string, added: string): string {
  const before = query.trim();
  if (before === "" || before === added) return added;
  if (isQuery(before)) return /\bor\b/i.test(before) ? `(${before}) and ${added}` : `${before} and ${added}`;
  // A plain filter is words, which a query understands too, or one regular expression.
  const isWords = !/[\\^$*+?()[\]{}|]/.test(before) || compile(before).error !== null;
  return isWords ? `${before} and ${added}` : `run ~ /${before.replace(/\//g, "\\/")}/i and ${added}`;
}
