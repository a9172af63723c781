/* Custom charts: any tags under one name, stored in the URL. */
import { isFormula, shownEntry } from "./formulas";
import { cardIdOf, CUSTOM } from "./groups";
import { own, pins, setCard } from "./settings.svelte";

const MAX_NAME = 80;

/** Creates a chart and returns its id. A number is added to a name that exists. */
export function addOwn(name: string, tags: string[]): string {
  let key = `*${name}`;
  for (let i = 2; own.value[key]; i++) key = `*${name} ${i}`;
  own.value = { ...own.value, [key]: tags };
  return cardIdOf(CUSTOM, key);
}

export function removeOwn(card: string): void {
  const { [card]: _, ...rest } = own.value;
  own.value = rest;
  pins.value = pins.value.filter((other) => other !== card);
  setCard(card, null);
}

/** Returns the default name of a chart: the common last part of the tags, or the first tag and the number of others. */
export function usualName(entries: string[]): string {
  if (entries.some(isFormula)) return entries.map(shownEntry).join(", ").slice(0, MAX_NAME);
  return nameOfTags(entries);
}

function nameOfTags(tags: string[]): string {
  const last = new Set(tags.map((tag) => tag.split("/").at(-1)!));
  if (last.size === 1) return [...last][0]!;
  return tags.length > 1 ? `${tags[0]} and ${tags.length - 1} more` : (tags[0] ?? "");
}

/** Only custom charts have formulas: a logged tag may start with `=`, too. */
export const isFormulaOf = (card: string, entry: string): boolean => own.value[card] !== undefined && isFormula(entry);

/** Replaces a formula of a custom chart. */
export function replaceFormula(card: string, before: string, after: string): void {
  const entries = own.value[card]?.map((entry) => (entry === `=${before}` ? `=${after}` : entry));
  if (entries) own.value = { ...own.value, [card]: [...new Set(entries)] };
}

/** Sets the tags of a custom chart, or the overlaid tags of another chart. */
export function setTags(card: string, tags: string[]): void {
  if (own.value[card]) own.value = { ...own.value, [card]: tags };
  else setCard(card, { with: tags.length > 1 ? tags.slice(1) : undefined });
}
