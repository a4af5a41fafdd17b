import { useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { SpendReport } from "../api/spend";
import { useTheme } from "../shell/theme";
import { inWords, limitLine, seriesColor, stacked, type Measure } from "./spenddata";

interface SpendPlotProps {
  report: SpendReport;
  measure: Measure;
  height: number;
  /** The slot that is read; null for none. */
  at: number | null;
  onSlot: (at: number | null) => void;
  /** What a slot is called below the bars. */
  label: (slot: number) => string;
}

/** Bars that are stacked, and the limit as a line. It is loaded when a chart is shown. */
export default function SpendPlot({ report, measure, height, at, onSlot, label }: SpendPlotProps) {
  const { dark } = useTheme();
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const tell = useRef(onSlot);
  const name = useRef(label);
  useEffect(() => {
    tell.current = onSlot;
    name.current = label;
  });

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const style = getComputedStyle(document.documentElement);
    const color = (variable: string) => style.getPropertyValue(`--${variable}`).trim();
    // The highest is drawn first, and each lower one before it.
    const bars = stacked(report, measure)
      .map((values, series) => ({ values, fill: seriesColor(series, report.series[series]?.others ?? false, dark) }))
      .toReversed();
    const limit = limitLine(report, measure);
    const highest = Math.max(0, ...(bars[0]?.values ?? []));
    // A limit far above what was used would leave nothing to see of it.
    const top = Math.max(highest, ...(limit?.filter((value) => value <= highest * 3) ?? [])) * 1.1 || 1;
    const count = report.starts.length;
    const created = new UPlot(
      {
        width: Math.max(200, element.clientWidth),
        height,
        legend: { show: false },
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
            values: (_, slots) => slots.map((slot) => (slot >= 0 && slot < count ? name.current(slot) : "")),
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
        hooks: {
          setCursor: [
            (u) => {
              if (u.cursor.event) tell.current(u.cursor.idx ?? null);
            },
          ],
        },
      },
      [report.starts.map((_, slot) => slot), ...bars.map(({ values }) => values), ...(limit ? [limit] : [])],
      element,
    );
    plot.current = created;
    const resized = new ResizeObserver(() => {
      const width = Math.max(200, element.clientWidth);
      if (width !== created.width) created.setSize({ width, height });
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.current = null;
      created.destroy();
    };
  }, [report, measure, height, dark]);

  // Moved by the keyboard.
  useEffect(() => {
    const u = plot.current;
    if (!u || u.cursor.idx === at) return;
    u.setCursor(
      at === null ? { left: -10, top: -10 } : { left: u.valToPos(at, "x"), top: u.over.clientHeight / 2 },
      false,
    );
  }, [at]);

  return <div className="h-full w-full" data-testid="spend-plot" ref={frame} />;
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const short = (value: number, measure: Measure) =>
  measure === "cost" ? inWords(value, "cost") : compact.format(value);
