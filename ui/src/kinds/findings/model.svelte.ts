/* State of the Findings tab: the findings of the visible runs that pass the filter, by severity, and the one that is shown. */
import { Current } from "../../api/resource.svelte";
import type { FindingRow, RunRow, Severity } from "../../api/types";
import { board } from "../../app/board.svelte";
import { findingAt, findingLists, findingsRun, idOf, isDismissed, runsOf, severities } from "../../app/findings.svelte";
import { edit } from "../../app/runs/edits";
import { TagFilter } from "../../app/view/tagFilter.svelte";
import { flag, param } from "../../base/url";
import { screen } from "../../base/screen.svelte";

export interface FindingGroup {
  severity: Severity;
  findings: FindingRow[];
}

export const showsDismissed = param("findings.dismissed", flag, false);

export class FindingsModel {
  readonly filter = new TagFilter("findings.q", "Filter findings");
  readonly list = new Current(findingLists);
  readonly #matching = $derived((this.list.data?.findings ?? []).filter((one) => this.#passes(one)));
  readonly dismissedCount = $derived(this.#matching.filter(isDismissed).length);
  readonly groups: FindingGroup[] = $derived(
    (Object.keys(severities) as Severity[])
      .map((severity) => ({ severity, findings: this.#shown.filter((one) => one.severity === severity) }))
      .filter(({ findings }) => findings.length > 0),
  );
  /** In the order of the list. */
  readonly all = $derived(this.groups.flatMap(({ findings }) => findings));
  /** On phones, the list comes first and a finding replaces it. */
  readonly current = $derived(
    this.all.find((one) => idOf(one) === findingAt.value) ?? (screen.isPhone ? undefined : this.all[0]),
  );
  readonly unjudged = $derived(this.list.data?.unjudged ?? []);
  readonly trainings = $derived(this.list.data?.trainings ?? 0);

  /** Call it in an effect. */
  follow(): void {
    this.list.follow(() => (findingsRun.value ? [findingsRun.value] : board.visible.map((run) => run.id)));
  }

  choose(one: FindingRow | undefined): void {
    findingAt.value = one ? idOf(one) : "";
  }

  /** Shows the next finding of the list, or the one before. */
  move(by: number): void {
    const next = this.all[this.all.indexOf(this.current!) + by];
    if (next) this.choose(next);
  }

  /** Marks a finding as not a problem, or takes that back. */
  async dismiss(one: FindingRow, dismissed: boolean): Promise<void> {
    // The next one in the list takes its place.
    if (dismissed && !showsDismissed.value) {
      const at = this.all.indexOf(one);
      this.choose(this.all[at + 1] ?? this.all[at - 1]);
    }
    const runs = runsOf(one).flatMap((id) => board.run(id) ?? []);
    await Promise.all(runs.map((run) => edit([run], { dismissed: keysWith(run, one.key, dismissed) })));
  }

  readonly #shown = $derived(this.#matching.filter((one) => showsDismissed.value || !isDismissed(one)));

  #passes(one: FindingRow): boolean {
    return this.filter.passes(
      `${one.code} ${one.what} ${runsOf(one)
        .map((run) => board.label(run))
        .join(" ")}`,
    );
  }
}

function keysWith({ dismissed = [] }: RunRow, key: string, isIn: boolean): string[] | null {
  const keys = dismissed.filter((other) => other !== key);
  return isIn ? [...keys, key] : keys.length > 0 ? keys : null;
}
