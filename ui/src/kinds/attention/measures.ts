/* Measures of heads: their names in the API, and what they mean in words. */
import { number } from "../../base/format";

interface MeasureText {
  title: string;
  /** One sentence. */
  about: string;
  unit?: string;
}

export const MEASURES = {
  entropy: {
    title: "entropy",
    unit: "nats",
    about: "How evenly a token spreads its attention. 0 means one single key.",
  },
  relative_entropy: {
    title: "relative entropy",
    about: "Entropy divided by that of a uniform head. Comparable between short and long, causal and other texts.",
  },
  confidence: { title: "confidence", about: "Largest weight of a token, on average." },
  distance: { title: "distance", unit: "tokens", about: "How far away the attended keys are." },
  offset: { title: "direction", unit: "tokens", about: "Mean signed distance: negative towards earlier tokens." },
  self: { title: "same token", about: "Weight on the token itself." },
  previous: { title: "previous token", about: "Weight on the token before." },
  next: { title: "next token", about: "Weight on the token after." },
  first: { title: "first token", about: "Weight on the first key, where idle heads often rest." },
  cls: { title: "[CLS]", about: "Weight on [CLS] or the start token." },
  sep: { title: "[SEP]", about: "Weight on [SEP] or the end token, where idle heads often rest." },
  punctuation: { title: "punctuation", about: "Weight on punctuation." },
  duplicate: {
    title: "duplicate token",
    about: "On a repeated text: weight on the same token one repetition earlier.",
  },
  induction: { title: "induction", about: "On a repeated text: weight on the token that followed last time." },
} satisfies Record<string, MeasureText>;

export type Measure = keyof typeof MEASURES;

export function isMeasure(name: string): name is Measure {
  return name in MEASURES;
}

export function textOf(measure: Measure): MeasureText {
  return MEASURES[measure];
}

/** A value with its unit: `2.84 nats`. */
export function measureText(measure: Measure, value: number): string {
  if (Number.isNaN(value)) return "–";
  const { unit } = textOf(measure);
  return unit ? `${number(value, 3)} ${unit}` : number(value, 3);
}
