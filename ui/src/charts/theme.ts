/** The tokens as a canvas needs them: resolved for the theme on screen. */

export interface Theme {
  surface: string;
  ink: string;
  ink2: string;
  ink3: string;
  grid: string;
  axis: string;
  accent: string;
  accentInk: string;
  rawAlpha: number;
  envelopeAlpha: number;
  dimAlpha: number;
  font: string;
}

export function makeTheme(token: (name: string) => string): Theme {
  return {
    surface: token("--surface"),
    ink: token("--ink"),
    ink2: token("--ink-2"),
    ink3: token("--ink-3"),
    grid: token("--grid"),
    axis: token("--axis"),
    accent: token("--accent"),
    accentInk: token("--accent-ink"),
    rawAlpha: Number(token("--raw-alpha")),
    envelopeAlpha: Number(token("--env-alpha")),
    dimAlpha: Number(token("--dim-alpha")),
    font: token("--font"),
  };
}
