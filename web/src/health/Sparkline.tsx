import { duration } from "./format";

interface SparklineProps {
  /** Milliseconds, the latest at the end; null where nothing was measured. */
  values: readonly (number | null)[];
  /** Subject of the line. */
  label: string;
}

const width = 96;
const height = 24;

/** The line through the values, with a gap where there is none. A value that stands alone is a dot. */
export function sparkPath(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const low = Math.min(...known);
  const high = Math.max(...known);
  const x = (at: number) => round(values.length < 2 ? width / 2 : 1 + (at * (width - 2)) / (values.length - 1));
  // Steady values lie in the middle.
  const y = (value: number) =>
    round(high === low ? height / 2 : height - 2 - ((value - low) / (high - low)) * (height - 4));
  let path = "";
  let drawing = false;
  for (const [at, value] of values.entries()) {
    if (value === null) {
      drawing = false;
      continue;
    }
    const alone = !drawing && (values[at + 1] ?? null) === null;
    path += `${drawing ? "L" : "M"}${x(at)} ${y(value)}${alone ? "h0.01" : ""}`;
    drawing = true;
  }
  return path;
}

/** How long runs took over a day, as a small line. */
export function Sparkline({ values, label }: SparklineProps) {
  const known = values.filter((value) => value !== null);
  const latest = known.at(-1);
  if (latest === undefined)
    return (
      <span className="text-xs text-muted-foreground" title={`${label}: not measured`}>
        No latency yet
      </span>
    );
  const words = `${label}: ${duration(Math.min(...known))} to ${duration(Math.max(...known))}, last ${duration(latest)}`;
  return (
    <span className="inline-flex items-center gap-2" data-testid="sparkline">
      <svg aria-label={words} className="h-6 w-24 shrink-0" role="img" viewBox={`0 0 ${width} ${height}`}>
        <path
          className="stroke-primary"
          d={sparkPath(values)}
          fill="none"
          strokeLinecap="round"
          strokeLinejoin="round"
          strokeWidth={1.5}
        />
      </svg>
      <span aria-hidden="true" className="text-xs whitespace-nowrap text-muted-foreground tabular-nums">
        {duration(latest)}
      </span>
    </span>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
