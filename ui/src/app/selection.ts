/* Selection of runs, as in the URL: all but some, or only some. It starts with all, so that new runs are visible at once. */
import type { Codec } from "../base/url";

export interface Selection {
  mode: "except" | "only";
  ids: ReadonlySet<string>;
}

export const everything: Selection = { mode: "except", ids: new Set() };

export const selectionCodec: Codec<Selection> = {
  encode: ({ mode, ids }) =>
    mode === "except" ? (ids.size ? `-${[...ids].join(",")}` : "all") : [...ids].join(",") || "none",
  decode: (text) => {
    if (text === "all") return everything;
    if (text === "none") return only([]);
    const except = text.startsWith("-");
    return { mode: except ? "except" : "only", ids: new Set(text.slice(except ? 1 : 0).split(",")) };
  },
};

export function only(ids: Iterable<string>): Selection {
  return { mode: "only", ids: new Set(ids) };
}

export function has(selection: Selection, id: string): boolean {
  return selection.ids.has(id) === (selection.mode === "only");
}

export function set(selection: Selection, ids: Iterable<string>, shown: boolean): Selection {
  const next = new Set(selection.ids);
  for (const id of ids) {
    if (shown === (selection.mode === "only")) next.add(id);
    else next.delete(id);
  }
  return { mode: selection.mode, ids: next };
}
