/* Custom charts: any tags under one name, stored in the URL. */
import { cardIdOf, CUSTOM } from "./groups";
import { own, pins, setCard } from "./settings.svelte";

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
export function usualName(tags: string[]): string {
  const last = new Set(tags.map((tag) => tag.split("/").at(-1)!));
  if (last.size === 1) return [...last][0]!;
  return tags.length > 1 ? `${tags[0]} and ${tags.length - 1} more` : (tags[0] ?? "");
}

/** Sets the tags of a custom chart, or the overlaid tags of another chart. */
export function setTags(card: string, tags: string[]): void {
  if (own.value[card]) own.value = { ...own.value, [card]: tags };
  else setCard(card, { with: tags.length > 1 ? tags.slice(1) : undefined });
}
