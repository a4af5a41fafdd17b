import { Suspense, type KeyboardEvent, type ReactNode } from "react";
import { Skeleton } from "./Notice";

interface ChartFrameProps {
  /** Subject of the chart, and all of it in one sentence. */
  label: string;
  summary: string;
  /** How many points there are, and which one is read; null for none. */
  count: number;
  at: number | null;
  /** The point that is read, in words. */
  read: string | undefined;
  onRead: (at: number | null) => void;
  /** The drawing, which may be loaded first. */
  children: ReactNode;
  testId?: string;
}

/** Pages of a chart, for the keys that turn them. */
const pages = 20;

/** Where a chart is drawn. It is read point by point with the keyboard, as a slider is. */
export function ChartFrame({ label, summary, count, at, read, onRead, children, testId }: ChartFrameProps) {
  const last = Math.max(0, count - 1);
  const here = at ?? last;
  const move = (event: KeyboardEvent) => {
    // A browser goes back and forth with them.
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") onRead(null);
    const leap = Math.max(1, Math.round(count / pages));
    const target: Record<string, number> = {
      ArrowLeft: here - 1,
      ArrowDown: here - 1,
      ArrowRight: here + 1,
      ArrowUp: here + 1,
      PageDown: here - leap,
      PageUp: here + leap,
      Home: 0,
      End: last,
    };
    const next = target[event.key];
    if (next === undefined || count === 0) return;
    event.preventDefault();
    onRead(Math.min(last, Math.max(0, next)));
  };
  return (
    <div
      aria-label={`${label}: ${summary}`}
      aria-valuemax={last}
      aria-valuemin={0}
      aria-valuenow={here}
      aria-valuetext={read ?? summary}
      className="h-64 w-full rounded-lg"
      data-testid={testId}
      onBlur={() => onRead(null)}
      onKeyDown={move}
      role="slider"
      tabIndex={0}
    >
      <Suspense fallback={<Skeleton className="h-full w-full" />}>{children}</Suspense>
    </div>
  );
}
