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

  // The document may be of another version than the files that the server has, as during a deployment.
  const missing = ({ target }) => {
    if (!(target instanceof HTMLScriptElement) || target.type !== "module") return;
    removeEventListener("error", missing, true);
    const notice = document.createElement("p");
    notice.setAttribute("role", "alert");
    notice.style.padding = "2rem";
    notice.textContent = "Countersign could not be loaded. The page tries again in a few seconds.";
    document.getElementById("root")?.replaceChildren(notice);
    // Pages that fail together do not come back together.
    setTimeout(() => location.reload(), 5_000 + 5_000 * Math.random());
  };
  addEventListener("error", missing, true);

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
