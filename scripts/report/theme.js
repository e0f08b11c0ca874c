// Says that scripts run, and lets the reader choose the light or the dark theme.
"use strict";
(() => {
  const root = document.documentElement, theme = document.getElementById("theme");
  root.classList.add("js");
  const show = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    theme.textContent = dark ? "Light theme" : "Dark theme";
    theme.dataset.next = dark ? "light" : "dark";
    root.dispatchEvent(new Event("theme"));
  };
  theme.addEventListener("click", () => { root.dataset.theme = theme.dataset.next; show(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
})();
