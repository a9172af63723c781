/* Code that logs the data of a view. */
import type { ViewEntry } from "../kinds";
import { loggingCode } from "../kinds/loggingCode";

export function loggingSnippet(entry: ViewEntry): string {
  return `from lossboard import SummaryWriter\nlog = SummaryWriter("runs/first")\n${callOf(entry)}`;
}

/** The call alone, without what prepares its arguments. */
export function lastLine(entry: ViewEntry): string {
  return callOf(entry).split("\n").at(-1)!;
}

const callOf = ({ id }: ViewEntry): string => loggingCode[id] ?? "";
