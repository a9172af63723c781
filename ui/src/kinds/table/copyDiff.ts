/** The comparison as a Markdown table on the clipboard. */
import type { RunDetails } from "../../api/types";
import { board } from "../../app/board.svelte";
import { toasts } from "../../widgets/toasts.svelte";
import type { DiffRow } from "./compare";

export async function copyDiff(sections: readonly { rows: DiffRow[] }[], runs: readonly RunDetails[]): Promise<void> {
  const head = ["", ...runs.map(({ id }) => board.label(id))];
  const rows = sections.flatMap(({ rows }) =>
    rows.map(({ key, detail, cells, best }) => [
      detail ? `${key} (${detail})` : key,
      ...cells.map(({ text }, i) => (best === i ? `**${text}**` : (text ?? ""))),
    ]),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/[\\|]/g, "\\$&")).join(" | ")} |`;
  const text = [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
  try {
    await navigator.clipboard.writeText(`${text}\n`);
    toasts.show({ icon: "copy", text: "Copied as Markdown" });
  } catch (reason) {
    toasts.fail("Could not copy the comparison", reason);
  }
}
