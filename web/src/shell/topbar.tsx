import { useSyncExternalStore, type ReactNode } from "react";
import { createPortal } from "react-dom";

export const topBarId = "top-bar";

const never = () => () => {};

/** Puts the actions of a page into the bar at the top of narrow windows, where a bar of their own would cost height. */
export function TopBarActions({ children }: { children: ReactNode }) {
  const bar = useSyncExternalStore(never, () => document.getElementById(topBarId));
  return bar && createPortal(children, bar);
}
