import { lazy, useCallback, useMemo, useState } from "react";
import { loaded } from "../api/reach";
import type { SpendReport } from "../api/spend";
import { ChartFrame } from "../ui/ChartFrame";
import { inWords, limitLine, seriesName, slotName, totals, valueOf, type Measure } from "./spenddata";

// The library is only loaded where a chart is shown.
const SpendPlot = lazy(() => loaded(() => import("./SpendPlot")));

const height = 256;

interface SpendChartProps {
  report: SpendReport;
  /** The one connection that the report is about. */
  connectionId: string | undefined;
  measure: Measure;
  label: string;
}

/** Bars by hours, days, weeks or months, read with the pointer or the arrow keys; the tables below it say the same. */
export function SpendChart({ report, connectionId, measure, label }: SpendChartProps) {
  const { starts } = report;
  const [pointed, setPointed] = useState<number | null>(null);
  // The report before may have had more slots.
  const at = pointed === null || starts.length === 0 ? null : Math.min(pointed, starts.length - 1);
  const sums = totals(report, measure);
  const limit = useMemo(() => limitLine(report, measure, connectionId), [report, measure, connectionId]);
  const name = useCallback(
    (slot: number) => slotName(report.starts[slot] ?? report.end, report.step, report.zone),
    [report],
  );
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
  const read = at === null ? undefined : describe(at);
  return (
    <figure className="flex flex-col gap-2" data-testid="spend-chart">
      <ChartFrame at={at} count={starts.length} label={label} onRead={setPointed} read={read} summary={summary}>
        <SpendPlot
          at={at}
          height={height}
          label={name}
          limit={limit}
          measure={measure}
          onSlot={setPointed}
          report={report}
        />
      </ChartFrame>
      {/* Always as high, so that nothing jumps. */}
      <figcaption className="min-h-10 text-sm text-muted-foreground tabular-nums" data-testid="spend-readout">
        {read ?? summary}
        {!read && limit && " The dashed line is the limit."}
      </figcaption>
    </figure>
  );
}
