import { useSyncExternalStore } from "react";

/** Narrower than this, the navigation is a bar at the top; the stylesheet's `md`. */
const narrow = "(width < 48rem)";

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia?.(narrow);
  query?.addEventListener("change", listener);
  return () => query?.removeEventListener("change", listener);
}

/** Whether the window is as narrow as a phone. */
export function usePhone(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia?.(narrow).matches ?? false);
}
