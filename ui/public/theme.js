// Sets the theme before the first paint, so that it never flashes in the other one. A file, because the CSP forbids inline script.
const root = document.documentElement;
try {
  root.dataset.chosen = localStorage.getItem("lossboard.theme")?.replaceAll('"', "") ?? "";
} catch {
  root.dataset.chosen = ""; // storage is off: the system's theme applies
}
root.dataset.theme = root.dataset.chosen || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
