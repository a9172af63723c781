/** Colors of trials by a column. The best value stands furthest from the background, in both themes. */
import { rampAt } from "../../base/ramp";
import type { Theme } from "../../charts/theme";
import { finiteOf } from "../cells";
import type { Column } from "./trials";

/** Ends of the part of the ramp that is used: its lightest colors are too faint for lines. */
const [STRONGEST, FAINTEST] = [0.92, 0.26];
const STEPS = 24;

export interface ColorScale {
  /** Values of the strongest and the faintest color. */
  from: number;
  to: number;
  /** From the strongest to the faintest, as `#rrggbb`. */
  colors: string[];
  /** Position in `colors`; -1 for a trial without a finite number. */
  step(row: number): number;
}

/** The middle nine tenths of the values span the scale, so that a run that diverged does not flatten it. */
export function makeColorScale(column: Column | null, rows: readonly number[], theme: Theme): ColorScale {
  const colors = Array.from({ length: STEPS }, (_, i) =>
    rampAt(theme.sequential, STRONGEST + (FAINTEST - STRONGEST) * (i / (STEPS - 1))),
  );
  const values = column ? rows.map((row) => finiteOf(column, row)).filter((value) => !Number.isNaN(value)) : [];
  values.sort((a, b) => a - b);
  const at = (share: number): number => values[Math.round((values.length - 1) * share)] ?? NaN;
  const ends = column?.best === "max" ? [at(0.95), at(0.05)] : [at(0.05), at(0.95)];
  const [from, to] = [ends[0]!, ends[1]!];
  return {
    from,
    to,
    colors,
    step(row) {
      const value = column ? finiteOf(column, row) : NaN;
      if (Number.isNaN(value)) return -1;
      const share = from === to ? 0 : (value - from) / (to - from);
      return Math.round(Math.min(1, Math.max(0, share)) * (STEPS - 1));
    },
  };
}
