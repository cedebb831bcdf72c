// Runs before anything is painted: a chosen theme never flashes.
"use strict";
try {
  const chosen = localStorage.getItem("probity-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // No storage: the system's theme it is.
}
