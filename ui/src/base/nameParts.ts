/* Parts of a long name that is shortened to fit. Names of runs often share their beginning and end, such as
   `PPO_lr=0.1_it_1_1000` and `PPO_lr=0.2_it_1_1000`. Those parts are cut first, and what differs stays. */

/** Lengths of the shared beginning and end of a name. */
export type SharedEnds = readonly [head: number, tail: number];

/** Names up to this length fit even into a narrow sidebar, and are not compared with others. */
export const SHORT = 12;
/** Characters before the shared end that are cut last, because names differ there most often. */
const KEPT = 10;

/** Returns four parts: the shared beginning, the start and the end of what differs, and the shared end. */
export function nameParts(name: string, [head, tail]: SharedEnds = [0, 0]): [string, string, string, string] {
  if (name.length <= SHORT) return ["", "", name, ""];
  const end = Math.max(head, name.length - tail);
  const kept = Math.max(head, end - KEPT);
  return [name.slice(0, head), name.slice(head, kept), name.slice(kept, end), name.slice(end)];
}
