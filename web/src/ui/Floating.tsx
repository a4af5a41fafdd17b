import { lazy, Suspense } from "react";

// Loaded beside the first page, not before it.
const Toaster = lazy(async () => ({ default: (await import("./Toaster")).Toaster }));
const Tooltips = lazy(async () => ({ default: (await import("./Tooltip")).Tooltips }));

/** What appears above every page: brief messages and tooltips. Once, at the root. */
export function Floating() {
  return (
    <Suspense>
      <Toaster />
      <Tooltips />
    </Suspense>
  );
}
