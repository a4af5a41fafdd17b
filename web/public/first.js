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

  // The sign-in has nothing of what follows.
  const parts = document.querySelector("meta[name=parts]");
  if (!parts) return;

  // What the app asks first is asked while it is being fetched. src/api/early.ts hands the answer over.
  const path = document.currentScript.dataset.asks;
  const answer = fetch(path, { credentials: "same-origin", headers: { accept: "application/json" } });
  // Whoever takes it is told; nobody may.
  answer.catch(() => {});
  globalThis.countersignEarly = { path, answer };

  // So is what the page at the address is made of. The app itself stands in the document.
  const pages = new Map(Object.entries(JSON.parse(parts.content)));
  const at = location.pathname.replaceAll(/^\/|\/$/g, "") || "index";
  for (const name of (pages.get(at) ?? pages.get(at.replace(/[^/]+$/, "any")) ?? "").split(" ")) {
    if (name === "") continue;
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.crossOrigin = "";
    link.href = `/assets/${name}`;
    document.head.append(link);
  }
})();
