/** Settings with dotted names, in groups and as a document. */
import type { FactJson } from "../../api/types";

export interface ConfigGroup {
  /** The first part of the names; empty for names without a dot. */
  name: string;
  settings: [name: string, value: FactJson][];
}

/** Groups the settings whose name or value has all words. Settings that are alone in their group stay outside. */
export function configGroups(config: Record<string, FactJson>, words: string): ConfigGroup[] {
  const parts = words.toLowerCase().split(/\s+/);
  const found = Object.entries(config).filter(([key, value]) => {
    const text = `${key} ${String(value)}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
  const firstPart = (key: string): string => (key.includes(".") ? key.slice(0, key.indexOf(".")) : "");
  const sizes = new Map<string, number>();
  for (const key of Object.keys(config)) sizes.set(firstPart(key), (sizes.get(firstPart(key)) ?? 0) + 1);
  const groups = new Map<string, ConfigGroup>();
  for (const [key, value] of found) {
    const name = sizes.get(firstPart(key))! > 1 ? firstPart(key) : "";
    const group = groups.get(name) ?? { name, settings: [] };
    groups.set(name, group);
    group.settings.push([name ? key.slice(name.length + 1) : key, value]);
  }
  return [...groups.values()].toSorted((a, b) => Number(a.name !== "") - Number(b.name !== ""));
}

interface Nested {
  [key: string]: FactJson | Nested;
}

/** Returns the document that the dotted names are from. Below a name that has a value itself, names keep their dots. */
export function nested(config: Record<string, FactJson>): Nested {
  const root = Object.create(null) as Nested;
  for (const [key, value] of Object.entries(config)) {
    const parts = key.split(".");
    const above = parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join("."));
    if (above.some((name) => Object.hasOwn(config, name))) {
      root[key] = value;
      continue;
    }
    const last = above.reduce((at, _, i) => (at[parts[i]!] ??= Object.create(null) as Nested) as Nested, root);
    last[parts.at(-1)!] = value;
  }
  return root;
}
