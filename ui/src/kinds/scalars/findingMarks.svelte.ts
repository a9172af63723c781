/* Findings of the visible runs, as marks on charts. */
import { Current } from "../../api/resource.svelte";
import { board } from "../../app/board.svelte";
import { findingLists, isDismissed, runsOf, severities } from "../../app/findings.svelte";
import { theme } from "../../app/theme.svelte";
import type { Line } from "../../charts/lines/data";
import type { FindingMark } from "../../charts/lines/scene";
import { xAxis } from "./settings.svelte";

const current = new Current(findingLists);

// For as long as the page lives: charts come and go while the user scrolls.
$effect.root(() =>
  current.follow(() => {
    const runs = board.visible.filter((run) => run.findings).map((run) => run.id);
    return runs.length > 0 ? runs : null;
  }),
);

/** Returns the marks of a chart. A finding without a tag concerns every chart of its run. Only the step axis has places for steps. */
export function findingMarks(lines: Line[]): FindingMark[] {
  if (xAxis.value !== "step") return [];
  return (current.data?.findings ?? []).flatMap((one) => {
    const { run, tag, first_step, severity, code, what } = one;
    const runs = runsOf(one);
    const isDrawn = lines.some((line) => runs.includes(line.run) && (!tag || line.tag === tag));
    if (first_step === undefined || !isDrawn || isDismissed(one)) return [];
    const color = theme.token(severities[severity].color);
    return [{ x: first_step, severity, color, label: code, text: `${board.label(run)}: ${what}` }];
  });
}
