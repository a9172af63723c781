/* Settings of groups in the URL. All are facts as the server names them, see docs/query.md. */
import { param, text } from "../../base/url";

/** Facts and conditions to group runs by: `lr, model = bert`. */
export const groupBy = param("by", text, "");
/** The fact that runs are colored by, instead of one color each. */
export const colorBy = param("color", text, "");
/** The fact that decides on the dashes of runs. */
export const dashBy = param("dash", text, "");
/** The fact whose mean each group shows in the sidebar. Empty means the last value of the main metric. */
export const groupMetric = param("metric", text, "");

/** Whether runs are grouped, or look like one of their facts. */
export const usesFacts = (): boolean => Boolean(groupBy.value || colorBy.value || dashBy.value);
