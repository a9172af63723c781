/* Code that logs the data of a view. */
import type { ViewEntry } from "../kinds";

export function loggingSnippet({ hint }: ViewEntry): string {
  return `from lossboard import SummaryWriter\nlog = SummaryWriter("runs/first")\n${hint}`;
}

/** The call alone, without what prepares its arguments. */
export function lastLine({ hint }: ViewEntry): string {
  return hint.split("\n").at(-1) ?? "";
}
