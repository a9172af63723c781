/** Colors, opacities and the font of the current theme, read once from the CSS tokens. */

/** Colors from low to high, as `#rrggbb`. A new ramp is a list of tokens in tokens.css and a line in `makeTheme`. */
export type Ramp = readonly string[];

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
  /** Font family. */
  font: string;
  sequential: Ramp;
  diverging: Ramp;
}

/** `token` returns the value of a CSS custom property, such as `--surface`. */
export function makeTheme(token: (name: string) => string): Theme {
  const ramp = (name: string, length: number): Ramp => Array.from({ length }, (_, i) => token(`--${name}-${i}`));
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
    sequential: ramp("seq", 9),
    diverging: ramp("div", 11),
  };
}
