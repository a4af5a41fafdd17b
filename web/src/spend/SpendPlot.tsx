import { useCallback } from "react";
import UPlot from "uplot";
import type { SpendReport } from "../api/spend";
import { useTheme } from "../shell/theme";
import { usePlot, type Drawing } from "../ui/plot";
import { inWords, seriesColor, stacked, type Measure } from "./spenddata";

interface SpendPlotProps {
  report: SpendReport;
  measure: Measure;
  /** The most that the limit leaves for each slot, where a line says so. */
  limit: readonly number[] | undefined;
  height: number;
  /** The slot that is read; null for none. */
  at: number | null;
  onSlot: (at: number | null) => void;
  /** Label of a slot below the bars. */
  label: (slot: number) => string;
}

/** Bars that are stacked, and the limit as a line. It is loaded when a chart is shown. */
export default function SpendPlot({ report, measure, limit, height, at, onSlot, label }: SpendPlotProps) {
  const { dark } = useTheme();
  const draw = useCallback((): Drawing => {
    const style = getComputedStyle(document.documentElement);
    const color = (variable: string) => style.getPropertyValue(`--${variable}`).trim();
    // The highest is drawn first, and each lower one before it.
    const bars = stacked(report, measure)
      .map((values, series) => ({ values, fill: seriesColor(series, report.series[series]?.others ?? false, dark) }))
      .toReversed();
    const highest = Math.max(0, ...(bars[0]?.values ?? []));
    // A limit far above the usage would flatten the chart.
    const top = Math.max(highest, ...(limit?.filter((value) => value <= highest * 3) ?? [])) * 1.1 || 1;
    const count = report.starts.length;
    return {
      options: {
        padding: [10, 12, 0, 0],
        cursor: { y: false, x: false, drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false, range: () => [-0.6, count - 0.4] }, y: { range: () => [0, top] } },
        axes: [
          {
            stroke: color("muted-foreground"),
            grid: { show: false },
            ticks: { show: false },
            space: 90,
            incrs: [1, 2, 3, 4, 6, 7, 10, 12, 14, 30],
            values: (_, slots) => slots.map((slot) => (slot >= 0 && slot < count ? label(slot) : "")),
          },
          {
            stroke: color("muted-foreground"),
            grid: { stroke: color("border"), width: 1 },
            ticks: { show: false },
            size: 72,
            values: (_, values) => values.map((value) => short(value, measure)),
          },
        ],
        series: [
          {},
          ...bars.map(({ fill }) => ({
            fill,
            stroke: fill,
            width: 0,
            points: { show: false },
            paths: UPlot.paths.bars?.({ size: [0.7, 60] }),
          })),
          ...(limit
            ? [
                {
                  stroke: color("danger"),
                  width: 2,
                  dash: [6, 4],
                  points: { show: false },
                  paths: UPlot.paths.linear?.(),
                },
              ]
            : []),
        ],
      },
      data: [report.starts.map((_, slot) => slot), ...bars.map(({ values }) => values), ...(limit ? [[...limit]] : [])],
    };
  }, [report, measure, limit, label, dark]);
  const { frame } = usePlot({ draw, height, at, onRead: onSlot });
  return <div className="h-full w-full" data-testid="spend-plot" ref={frame} />;
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const short = (value: number, measure: Measure) =>
  measure === "cost" ? inWords(value, "cost") : compact.format(value);
