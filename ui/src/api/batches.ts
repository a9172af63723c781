/* Items of a batch. One that no longer exists has an error in its place, and does not fail the others. */
import type { Missing } from "./types";

/** Returns what `read` makes of an item, or the reason why there is none. */
export function unlessMissing<Item extends object, Data>(
  item: Item | Missing,
  read: (item: Item) => Data,
): Data | Error {
  return "error" in item ? new Error(item.error) : read(item);
}
