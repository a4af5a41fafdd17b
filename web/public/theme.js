// Runs before the first paint, as a file of its own because the content
// security policy forbids inline scripts. src/shell/theme.ts owns the setting.
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem("countersign.theme");
  } catch {
    // Storage is blocked: follow the system.
  }
  const dark = choice === "dark" || (choice !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
