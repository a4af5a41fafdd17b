import { lazy, Suspense, useState, type KeyboardEvent } from "react";
import { loaded } from "../api/reach";
import type { SpendReport } from "../api/spend";
import { Skeleton } from "../ui/Notice";
import { inWords, limitLine, seriesName, slotName, totals, valueOf, type Measure } from "./spenddata";

// The library is only loaded where a chart is shown.
const SpendPlot = lazy(() => loaded(() => import("./SpendPlot")));

const height = 256;

interface SpendChartProps {
  report: SpendReport;
  measure: Measure;
  label: string;
}

/** Bars by hours, days, weeks or months, read with the pointer or the arrow keys; the tables below it say the same. */
export function SpendChart({ report, measure, label }: SpendChartProps) {
  const [at, setAt] = useState<number | null>(null);
  const last = report.starts.length - 1;
  const sums = totals(report, measure);
  const limit = limitLine(report, measure);
  const name = (slot: number) => slotName(report.starts[slot] ?? report.end, report.step, report.zone);
  const summary = `${inWords(
    sums.reduce((sum, one) => sum + one, 0),
    measure,
  )}${measure === "tokens" ? " tokens" : ""} in all`;
  const describe = (slot: number) => {
    const parts = report.series
      .map((series) => ({ words: seriesName(series, report.split), use: series.slots[slot] }))
      .filter(({ use }) => use && valueOf(use, measure) > 0)
      .slice(0, 4)
      .map(({ words, use }) => `${words} ${use ? inWords(valueOf(use, measure), measure) : ""}`);
    const most = limit?.[slot] === undefined ? [] : [`at most ${inWords(limit[slot], measure)}`];
    return `${name(slot)}: ${[inWords(sums[slot] ?? 0, measure), ...parts, ...most].join(", ")}`;
  };
  const read = at === null ? undefined : describe(Math.min(at, last));
  const move = (event: KeyboardEvent) => {
    const here = at ?? last;
    const target: Record<string, number> = {
      ArrowLeft: here - 1,
      ArrowDown: here - 1,
      ArrowRight: here + 1,
      ArrowUp: here + 1,
      Home: 0,
      End: last,
    };
    if (event.key === "Escape") setAt(null);
    const next = target[event.key];
    if (next === undefined || last < 0) return;
    event.preventDefault();
    setAt(Math.min(last, Math.max(0, next)));
  };
  return (
    <figure className="flex flex-col gap-2" data-testid="spend-chart">
      <div
        aria-label={`${label}: ${summary}`}
        aria-valuemax={Math.max(0, last)}
        aria-valuemin={0}
        aria-valuenow={at ?? Math.max(0, last)}
        aria-valuetext={read ?? summary}
        className="h-64 w-full rounded-lg"
        onBlur={() => setAt(null)}
        onKeyDown={move}
        role="slider"
        tabIndex={0}
      >
        <Suspense fallback={<Skeleton className="h-full w-full" />}>
          <SpendPlot at={at} height={height} label={name} measure={measure} onSlot={setAt} report={report} />
        </Suspense>
      </div>
      {/* Always as high, so that nothing jumps. */}
      <figcaption className="min-h-10 text-sm text-muted-foreground tabular-nums" data-testid="spend-readout">
        {read ?? summary}
        {!read && limit && " The dashed line is the most that the limit allows."}
      </figcaption>
    </figure>
  );
}
