/* Actions of the board itself, in every view. */
import { provide, register } from "../base/actions";
import { view } from "../base/url";
import { type ViewEntry, views } from "../kinds";
import { toasts } from "../widgets/toasts.svelte";
import { lazy } from "./lazy";
import { lastLine } from "./loggingSnippet";
import { open } from "./openDialog.svelte";
import { unlessReadOnly } from "./readOnly";
import { saved } from "./saved.svelte";
import { theme } from "./theme.svelte";
import { hasData } from "./views.svelte";

/** How other tools name the views. */
const NAMES_ELSEWHERE: Record<string, string> = { charts: "scalars time series", histograms: "distributions" };

export function boardActions(): () => void {
  const group = "Board";
  const stops = [
    register([
      { id: "keys", title: "Keyboard shortcuts", keys: ["?"], group, icon: "help", run: () => (open.page = "keys") },
      {
        id: "theme",
        title: "Toggle theme",
        also: "dark mode light night",
        keys: ["T"],
        group,
        icon: "half",
        run: () => theme.toggle(),
      },
      {
        id: "link",
        title: "Copy link",
        also: "share url permalink",
        keys: ["C"],
        group,
        icon: "link",
        run: () => void lazy.savedViewActions().then(({ copyLink }) => copyLink()),
      },
      {
        id: "view.save",
        title: "Save view…",
        also: "workspace layout",
        group,
        icon: "view",
        run: unlessReadOnly(() => (open.page = "saveView")),
      },
      ...views.map((entry) => ({
        id: `view.${entry.id}`,
        title: entry.title,
        also: NAMES_ELSEWHERE[entry.id],
        keys: [entry.key],
        icon: entry.icon,
        group: "Tabs",
        run: () => openOrExplain(entry),
      })),
    ]),
    provide({ group: "Views", find: (words) => savedViews(words) }),
  ];
  return () => stops.forEach((stop) => stop());
}

/** A view without data says how to log some, instead of leaving the view on screen. */
function openOrExplain(entry: ViewEntry): void {
  if (entry.opensAlways || hasData(entry)) view.id = entry.id;
  else
    toasts.show({
      icon: entry.icon,
      text: `${entry.title}: no data yet`,
      detail: lastLine(entry),
      action: { title: "Show how", run: () => (view.id = entry.id) },
    });
}

function savedViews(words: string) {
  const names = saved.all.filter((name) => words !== "" && name.toLowerCase().includes(words.toLowerCase()));
  return names.map((name) => ({
    id: `saved.${name}`,
    title: name,
    icon: "view" as const,
    hint: "saved view",
    run: () => saved.open(name),
  }));
}
