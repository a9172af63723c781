/* How a group of runs is drawn as one line, in the URL. */
import { flag, oneOf, param } from "../../base/url";

export const CENTERS = { mean: "mean", median: "median", iqm: "interquartile mean" } as const;
export type Center = keyof typeof CENTERS;

export const BANDS = {
  t: "95 % t interval",
  sd: "standard deviation",
  se: "standard error",
  bootstrap: "95 % bootstrap",
  minmax: "min to max",
  quartiles: "quartiles",
  none: "no band",
} as const;
export type Band = keyof typeof BANDS;

/** Names of the bands where there is little space. */
export const SHORT_BANDS: Record<Band, string> = {
  t: "95 % t",
  sd: "SD",
  se: "SE",
  bootstrap: "bootstrap",
  minmax: "range",
  quartiles: "quartiles",
  none: "no band",
};

/** The bands that belong to each center, the default first. */
export const BANDS_OF: Record<Center, Band[]> = {
  mean: ["t", "sd", "se", "bootstrap", "minmax", "quartiles", "none"],
  median: ["quartiles", "bootstrap", "minmax", "none"],
  iqm: ["bootstrap", "quartiles", "minmax", "none"],
};

/** Lines of groups, as the server is asked for them. */
export interface GroupRequest {
  groups: { key: string; runs: readonly string[] }[];
  center: Center;
  band: Band;
  /** Whether their runs are drawn too. */
  withMembers: boolean;
}

const center = param<Center>("center", oneOf("mean", "median", "iqm"), "mean");
const band = param<Band | "auto">("band", oneOf("auto", ...BANDS_OF.mean), "auto");
const members = param("members", flag, true);

export const lineSettings = {
  get center(): Center {
    return center.value;
  },
  set center(next) {
    center.value = next;
    if (!BANDS_OF[next].includes(this.band)) band.value = "auto";
  },
  /** A link may have a band that does not belong to its center. */
  get band(): Band {
    const allowed = BANDS_OF[center.value];
    return allowed.find((one) => one === band.value) ?? allowed[0]!;
  },
  set band(next) {
    band.value = next === BANDS_OF[center.value][0] ? "auto" : next;
  },
  get members(): boolean {
    return members.value;
  },
  set members(next) {
    members.value = next;
  },
};
