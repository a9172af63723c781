/* What the board itself can do, whatever the view. */
import { provide, register } from "../base/actions";
import { view } from "../base/url";
import { views } from "../kinds";
import { saved } from "./saved.svelte";
import { theme } from "./theme.svelte";
import { hasData } from "./views.svelte";

class Open {
  page = $state<"palette" | "keys" | null>(null);
}

/** The page that lies over the board. */
export const open = new Open();

export function boardActions(): () => void {
  const group = "Board";
  const stops = [
    register([
      {
        id: "palette",
        title: "Commands, tags, runs",
        keys: ["Mod+K"],
        group,
        icon: "search",
        run: () => (open.page = open.page === "palette" ? null : "palette"),
      },
      { id: "keys", title: "These keys", keys: ["?"], group, icon: "help", run: () => (open.page = "keys") },
      { id: "theme", title: "Light or dark", keys: ["T"], group, icon: "half", run: () => theme.toggle() },
      { id: "link", title: "Copy link", keys: ["C"], group, icon: "link", run: () => void saved.copyLink() },
      ...views.map((entry) => ({
        id: `view.${entry.id}`,
        title: `Go to ${entry.title}`,
        icon: "view" as const,
        group,
        enabled: () => hasData(entry),
        run: () => (view.id = entry.id),
      })),
    ]),
    provide({ group: "Views", find: (words) => savedViews(words) }),
  ];
  return () => stops.forEach((stop) => stop());
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
