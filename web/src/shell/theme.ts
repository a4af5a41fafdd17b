import { useSyncExternalStore } from "react";

/** Also read by public/first.js before the first paint. */
const storageKey = "countersign.theme";

const listeners = new Set<() => void>();

function isDark(): boolean {
  return document.documentElement.dataset.theme === "dark";
}

function show(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  for (const listener of listeners) listener();
}

function stored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function followSystem(event: MediaQueryListEvent): void {
  if (stored() === null) show(event.matches);
}

function subscribe(listener: () => void): () => void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  if (listeners.size === 0) system.addEventListener("change", followSystem);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) system.removeEventListener("change", followSystem);
  };
}

/** The theme follows the system until the person chooses one. */
export function useTheme(): { dark: boolean; toggle: () => void } {
  const dark = useSyncExternalStore(subscribe, isDark);
  const toggle = () => {
    const next = !dark;
    try {
      localStorage.setItem(storageKey, next ? "dark" : "light");
    } catch {
      // Storage is blocked: the choice lasts until the next load.
    }
    show(next);
  };
  return { dark, toggle };
}
