/* Cards composed by hand: any tags under one name, in the address like everything else. */
import { cardIdOf, COMPOSED } from "./groups";
import { own, pins, setCard } from "./settings.svelte";

/** Makes the card and gives its id. A name that is taken gets a number. */
export function addOwn(name: string, tags: string[]): string {
  let key = `*${name}`;
  for (let i = 2; own.value[key]; i++) key = `*${name} ${i}`;
  own.value = { ...own.value, [key]: tags };
  return cardIdOf(COMPOSED, key);
}

export function removeOwn(card: string): void {
  const { [card]: _, ...rest } = own.value;
  own.value = rest;
  pins.value = pins.value.filter((other) => other !== card);
  setCard(card, null);
}

/** What a card of these tags is called where nobody says: what their names share, or the first and how many more. */
export function usualName(tags: string[]): string {
  const last = new Set(tags.map((tag) => tag.split("/").at(-1)!));
  if (last.size === 1) return [...last][0]!;
  return tags.length > 1 ? `${tags[0]} and ${tags.length - 1} more` : (tags[0] ?? "");
}
