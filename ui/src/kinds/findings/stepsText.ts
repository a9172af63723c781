/* The steps at which a finding shows, as text. */
import type { FindingRow } from "../../api/types";
import { integer } from "../../base/format";

export function stepsText({ first_step: first, last_step: last }: FindingRow): string {
  if (first === undefined) return "";
  return last !== undefined && last > first ? `steps ${integer(first)} – ${integer(last)}` : `step ${integer(first)}`;
}
