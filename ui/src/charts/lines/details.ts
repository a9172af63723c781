/** Parts of a line chart that most charts do not need. Loaded by the first chart that needs one, see lazyDetails.ts. */
export { drawChanges, drawMembers, fillBand } from "./bands";
export { drawBest } from "./best";
export { drawDensity } from "./density";
export { drawMarks } from "./marks";
export { drawRightAxis } from "./rightAxis";
export { drawSingleValues } from "./singleValues";
