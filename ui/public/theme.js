// Runs before the first paint, so that a chosen theme never flashes in the other one. A file, because the CSP forbids inline script.
try {
  const theme = localStorage.getItem("lossboard.theme")?.replaceAll('"', "");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Storage is off in this browser: the system's theme applies.
}
