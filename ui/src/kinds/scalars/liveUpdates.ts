/* Charts that a live event affects: those with a tag, or a scalar as x axis, that grew in a visible run. */
import type { Grew, RunRow } from "../../api/types";
import type { Question } from "./feed";

export function affects(event: Grew, shown: RunRow[]): (question: Question) => boolean {
  const visible = new Set(shown.map((run) => run.id));
  const grown = new Set<string>();
  let all = false;
  for (const [id, { kinds }] of Object.entries(event.runs)) {
    if (!visible.has(id)) continue;
    if (kinds.scalars === "*") all = true;
    else for (const tag of kinds.scalars ?? []) grown.add(tag);
  }
  return ({ tags, x }) => all || tags.some((tag) => grown.has(tag)) || (typeof x === "object" && grown.has(x.tag));
}
