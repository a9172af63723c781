/* The three lines that log a view's kind of data. */
import type { ViewEntry } from "../kinds";

export function loggingSnippet({ hint }: ViewEntry): string {
  return `from lossboard import SummaryWriter\nlog = SummaryWriter("runs/first")\n${hint}`;
}
