/* Groups of runs with equal facts, as the server lists them, and their names. */
import { postJson } from "../../api/client";
import { Resource } from "../../api/resource.svelte";
import type { FactJson, GroupMean, GroupedBy, GroupsResponse } from "../../api/types";
import { duration, number, size } from "../../base/format";

export interface GroupsQuery {
  by: string;
  metric?: string;
  changes: number;
}

export interface FactGroups extends GroupsResponse {
  asked: string;
}

export const factGroups = new Resource<GroupsQuery, FactGroups>({
  maxBatch: 1,
  maxCached: 20,
  affects: () => true,
  fetch: async ([query], { signal }) => {
    const { by, metric } = query!;
    const response = await postJson<GroupsResponse>("groups", { by, metric }, signal);
    return { cursor: response.cursor, data: [{ ...response, asked: by }] };
  },
});

/** Part of a group's name: the fact, and its value. One of them may be empty. */
export type NamePart = [fact: string, value: string];

/** A group of runs. */
export interface RunGroup {
  /** Starts with @, which sets it apart from ids of runs, and has no spaces, so that elements can have it. */
  id: string;
  name: NamePart[];
  label: string;
  runs: readonly string[];
  /** Mean of the metric that the sidebar shows. */
  mean: GroupMean | null;
}

export function makeGroups({ by, groups }: GroupsResponse): RunGroup[] {
  return groups.map(({ key, runs, mean }) => {
    const name = key.map((value, i) => namePart(by[i]!, value));
    return {
      id: `@${encodeURIComponent(JSON.stringify(key))}`,
      name,
      label: name.map((part) => part.filter(Boolean).join(" ")).join(", "),
      runs,
      mean: mean && mean.n > 0 ? mean : null,
    };
  });
}

const TIME = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" } as const;

/** Returns how a fact is called in names of groups. */
export function factName(field: string): string {
  return field.replaceAll("`", "").replace(/^(hp|run)\./, "");
}

/** Whether it is a condition such as `lr < 1e-3`, and not the name of a fact. */
const isCondition = ({ field, type }: GroupedBy): boolean =>
  type === "boolean" && /[\s<>=!~]/.test(field.replace(/`[^`]*`/g, ""));

export function namePart(by: GroupedBy, value: FactJson): NamePart {
  const fact = factName(by.name);
  if (isCondition(by)) {
    if (value === null) return ["", `unknown: ${by.name}`];
    return value ? ["", by.name] : ["not", by.name];
  }
  return value === null ? ["no", fact] : [fact, factText(by.type, value)];
}

export function factText(type: string, value: FactJson): string {
  if (typeof value !== "number") return String(value);
  if (type === "time") return new Date(value * 1000).toLocaleString(undefined, TIME);
  if (type === "duration") return duration(value);
  if (type === "size") return size(value);
  return shortNumber(value);
}

/** Returns a setting as people write it: `3e-5` and `0.1`, without the zeros of a measured value. */
export function shortNumber(value: number): string {
  if (Number.isInteger(value) || !Number.isFinite(value)) return number(value);
  const rounded = Number(value.toPrecision(6));
  const [plain, power] = [String(rounded), rounded.toExponential()];
  return plain.length <= power.length + 1 ? plain : power;
}
