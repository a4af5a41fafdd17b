import { useCallback, useEffect, useRef } from "react";
import UPlot from "uplot";
import { useTheme } from "../../shell/theme";
import { usePlot, type Drawing } from "../../ui/plot";
import { duration } from "../format";
import { alone, columnsOf, spansOf, strip, type ChartData } from "./chartdata";

interface PlotProps {
  data: ChartData;
  height: number;
  /** The point that is read; null for none. */
  at: number | null;
  onPoint: (at: number | null) => void;
}

/** Between the lines and the times: the availability. */
const stripHeight = 12;

interface Palette {
  [name: string]: string;
}

const names = ["foreground", "muted-foreground", "border", "primary", "success", "warning", "danger"] as const;

function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** The lines of a chart on a canvas. It is loaded when a chart is shown. */
export default function Plot({ data, height, at, onPoint }: PlotProps) {
  const { dark } = useTheme();
  const colors = useRef<Palette>({});
  const draw = useCallback((): Drawing => {
    colors.current = palette();
    const begun = performance.now();
    const { times, p50, p95 } = columnsOf(data.points);
    const spans = spansOf(data.states);
    let drawn = false;
    const color = (name: (typeof names)[number]) => () => colors.current[name] ?? "";
    const dots = (line: typeof p50, name: (typeof names)[number], size: number): UPlot.Series.Points => {
      const shown = alone(line);
      return { show: shown.length > 0, filter: () => shown, size, fill: color(name), stroke: color(name) };
    };
    return {
      options: {
        padding: [10, 26, 0, 0],
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        scales: {
          x: { time: true, range: () => [data.from / 1_000, data.to / 1_000] },
          y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
        },
        axes: [
          {
            stroke: color("muted-foreground"),
            grid: { stroke: color("border"), width: 1 },
            ticks: { show: false },
            gap: stripHeight + 8,
            size: 26 + stripHeight,
            space: 64,
            values: (_, marks, __, ___, step) => marks.map((mark) => axisTime(mark * 1_000, step)),
          },
          {
            stroke: color("muted-foreground"),
            grid: { stroke: color("border"), width: 1 },
            ticks: { show: false },
            size: 62,
            values: (_, values) => values.map((value) => duration(value)),
          },
        ],
        series: [
          {},
          {
            label: "p95",
            stroke: color("muted-foreground"),
            width: 1.2,
            dash: [4, 3],
            points: dots(p95, "muted-foreground", 3),
          },
          { label: "p50", stroke: color("primary"), width: 2, points: dots(p50, "primary", 5) },
        ],
        hooks: {
          drawClear: [(u) => drawSpans(u, spans, colors.current), (u) => drawGaps(u, spans, colors.current)],
          draw: [
            (u) => drawStrip(u, data, colors.current),
            (u) => drawTransitions(u, data.transitions, colors.current),
            () => {
              if (drawn) return;
              drawn = true;
              performance.measure("health-chart", { start: begun, end: performance.now() });
            },
          ],
        },
      },
      data: [times, p95, p50],
    };
  }, [data]);
  const { frame, plot } = usePlot({ draw, height, at, onRead: onPoint });

  useEffect(() => {
    colors.current = palette();
    plot.current?.redraw(false);
    // The colors of the page depend on it.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [plot, dark]);

  return <div className="h-full w-full" data-testid="plot" ref={frame} />;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const date = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** The hour, or the day at midnight and where the steps are days. */
function axisTime(time: number, step: number): string {
  const moment = new Date(time);
  const midnight = moment.getHours() === 0 && moment.getMinutes() === 0;
  return (midnight || step >= 86_400 ? date : clock).format(moment);
}

/** Where times lie, in pixels of the canvas. */
function place(u: UPlot, from: number, to: number): [left: number, width: number] {
  const { left, width } = u.bbox;
  const clamp = (x: number) => Math.min(left + width, Math.max(left, x));
  const first = clamp(u.valToPos(from / 1_000, "x", true));
  return [first, Math.max(1, clamp(u.valToPos(to / 1_000, "x", true)) - first)];
}

function drawSpans(u: UPlot, spans: ReturnType<typeof spansOf>, colors: Palette): void {
  for (const { status, from, to } of spans) {
    if (status === "unknown") continue;
    const [left, width] = place(u, from, to);
    u.ctx.save();
    u.ctx.fillStyle = colors[status === "unhealthy" ? "danger" : "warning"] ?? "";
    u.ctx.globalAlpha = 0.13;
    u.ctx.fillRect(left, u.bbox.top, width, u.bbox.height);
    u.ctx.restore();
  }
}

/** Hatched, as nothing is known there. */
function drawGaps(u: UPlot, spans: ReturnType<typeof spansOf>, colors: Palette): void {
  const { ctx, bbox } = u;
  for (const { status, from, to } of spans) {
    if (status !== "unknown") continue;
    const [left, width] = place(u, from, to);
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = colors["muted-foreground"] ?? "";
    ctx.globalAlpha = 0.35;
    ctx.lineWidth = UPlot.pxRatio;
    ctx.beginPath();
    const step = 7 * UPlot.pxRatio;
    for (let x = left - bbox.height; x < left + width; x += step) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
}

/** A low line where all runs passed, a bar where some failed: the higher, the more. */
function drawStrip(u: UPlot, data: ChartData, colors: Palette): void {
  const { ctx, bbox } = u;
  const full = stripHeight * UPlot.pxRatio;
  const bottom = bbox.top + bbox.height + 3 * UPlot.pxRatio + full;
  const low = 3 * UPlot.pxRatio;
  const columns = Math.max(1, Math.round(bbox.width));
  ctx.save();
  for (const [x, failed] of strip(data.points, data.from, data.to, columns).entries()) {
    if (failed === -1) continue;
    const high = failed === null ? low : failed > 0 ? low + failed * (full - low) : low;
    ctx.fillStyle = colors[failed === null ? "muted-foreground" : failed > 0 ? "danger" : "success"] ?? "";
    ctx.globalAlpha = failed === null ? 0.4 : 1;
    ctx.fillRect(bbox.left + x, bottom - high, 1, high);
  }
  ctx.restore();
}

/** A line at each change, with a mark at its top: down for worse, up for better. */
function drawTransitions(u: UPlot, transitions: ChartData["transitions"], colors: Palette): void {
  const { ctx, bbox } = u;
  const size = 4.5 * UPlot.pxRatio;
  for (const { at, after } of transitions) {
    const x = u.valToPos(Date.parse(at) / 1_000, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    const name =
      after === "unhealthy"
        ? "danger"
        : after === "degraded"
          ? "warning"
          : after === "healthy"
            ? "success"
            : "muted-foreground";
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colors[name] ?? "";
    ctx.lineWidth = UPlot.pxRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const tip = after === "healthy" ? -size : size;
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top - tip / 2);
    ctx.lineTo(x + size, bbox.top - tip / 2);
    ctx.lineTo(x, bbox.top + tip);
    ctx.fill();
    ctx.restore();
  }
}
