import { lazy, Suspense } from "react";
import { loaded } from "../api/reach";

// Loaded beside the first page, not before it.
const Toaster = lazy(async () => ({ default: (await loaded(() => import("./Toaster"))).Toaster }));
const Tooltips = lazy(async () => ({ default: (await loaded(() => import("./Tooltip"))).Tooltips }));

/** Layer above every page for brief messages and tooltips. Once, at the root. */
export function Floating() {
  return (
    <Suspense>
      <Toaster />
      <Tooltips />
    </Suspense>
  );
}
