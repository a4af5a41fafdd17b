import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loaded, watchConnection } from "./api/reach";
import { Entrance } from "./shell/Entrance";
import { Overlay } from "./shell/Overlay";
import "./styles.css";

// The document for sign-in and password links, which renders before the rest of the app has loaded.
const element = document.getElementById("root");
if (!element) throw new Error("sign-in.html has no element with the id root");
const root = createRoot(element);

const loadApp = () => loaded(() => import("./app"));

/** Continues in this document with the preloaded app. */
async function enter(path: string): Promise<void> {
  try {
    const { start } = await loadApp();
    window.history.pushState(null, "", path);
    start(root);
  } catch {
    // The server has a new version of the app, which needs a document of its own.
    window.location.assign(path);
  }
}

watchConnection();
root.render(
  <StrictMode>
    <Entrance onIn={enter} />
    <Overlay />
  </StrictMode>,
);

// While they type, and not before their page is whole.
const load = () => void loadApp().catch(() => {});
if (document.readyState === "complete") load();
else window.addEventListener("load", load, { once: true });
