// Before the first paint, so that a chosen theme never flashes in the other one. A file of its own: the CSP refuses inline script.
try {
  const theme = localStorage.getItem("lossboard.theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off in this browser: the system's theme it is.
}
