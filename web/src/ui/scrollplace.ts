import { useRouter, type ParsedLocation } from "@tanstack/react-router";
import { useEffect, useLayoutEffect } from "react";

const storageKey = "countersign.scroll";
/** Pages that are remembered; the oldest is forgotten first. */
const remembered = 100;

const places = new Map<string, number>(stored());

/** How far something was scrolled, by a name of its own: of a page it is the entry of the browser's history. */
export function keepScroll(name: string, pixels: number): void {
  places.delete(name);
  if (pixels > 0) places.set(name, Math.round(pixels));
  for (const oldest of places.keys()) {
    if (places.size <= remembered) break;
    places.delete(oldest);
  }
}

export const keptScroll = (name: string): number => places.get(name) ?? 0;

if (typeof window !== "undefined") {
  // Some pages are documents of their own, and a page may be read again.
  window.addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(storageKey, JSON.stringify([...places]));
    } catch {
      // Storage is blocked or full: it is remembered as long as the document.
    }
  });
}

function stored(): [string, number][] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isEntry) : [];
  } catch {
    return [];
  }
}

// Not a constant: it is called while the module begins.
function isEntry(value: unknown): value is [string, number] {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "number";
}

/** User scrolling by these events stops automatic scrolling. */
const touches = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

/**
 * Scrolls an element to a place that may not exist yet, while its content loads. It retries whenever the content grows,
 * until it succeeds or the user scrolls. Returns a function that stops it.
 */
export function scrollWhenHigh(element: HTMLElement, go: () => boolean): () => void {
  if (go() || typeof ResizeObserver === "undefined" || !element.firstElementChild) return () => {};
  const observer = new ResizeObserver(() => {
    if (go()) end();
  });
  const end = () => {
    observer.disconnect();
    for (const touch of touches) window.removeEventListener(touch, end, true);
  };
  observer.observe(element.firstElementChild);
  for (const touch of touches) window.addEventListener(touch, end, { capture: true, passive: true });
  return end;
}

/** Router's key of a history entry. */
// oxlint-disable-next-line no-underscore-dangle -- the name is the router's
const entryOf = (location: ParsedLocation | undefined) => location?.state.__TSR_key;

/** Restores the scroll position of a page after back, forward or reload. */
export function useScrollPlace(element: HTMLElement | null): void {
  const router = useRouter({ warn: false }) as ReturnType<typeof useRouter> | undefined;
  useLayoutEffect(() => {
    const entry = entryOf(router?.state.location);
    const top = entry ? keptScroll(entry) : 0;
    if (!element || top === 0) return;
    return scrollWhenHigh(element, () => {
      element.scrollTop = top;
      return element.scrollTop >= top - 1;
    });
  }, [router, element]);
  useEffect(() => {
    if (!router || !element) return;
    const keep = (entry: string | undefined) => entry && keepScroll(entry, element.scrollTop);
    const stop = router.subscribe("onBeforeLoad", ({ fromLocation }) => keep(entryOf(fromLocation)));
    const hide = () => keep(entryOf(router.state.location));
    window.addEventListener("pagehide", hide, true);
    return () => {
      stop();
      window.removeEventListener("pagehide", hide, true);
    };
  }, [router, element]);
}
