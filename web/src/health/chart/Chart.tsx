import { lazy, useState, type ReactNode } from "react";
import { loaded } from "../../api/reach";
import { Button } from "../../ui/Button";
import { ChartFrame } from "../../ui/ChartFrame";
import { availability, duration } from "../format";
import { statusOf } from "../status";
import { statusWords } from "../statuswords";
import { describeChart, describePoint, judged, pointTime, type ChartData } from "./chartdata";

// The library is only loaded where a chart is shown.
const Plot = lazy(() => loaded(() => import("./Plot")));

const height = 256;

interface ChartProps {
  data: ChartData;
  /** Subject of the chart: "Latency of Checkout". */
  label: string;
}

/**
 * Latency as two lines, availability as a strip below them, and what happened: times of degradation and failure shaded, changes
 * marked, gaps hatched. Read with the pointer, with the arrow keys, or as a table.
 */
export function Chart({ data, label }: ChartProps) {
  const { points } = data;
  const [pointed, setPointed] = useState<number | null>(null);
  const [table, setTable] = useState(false);
  // The previous data may have had more points.
  const at = pointed === null || points.length === 0 ? null : Math.min(pointed, points.length - 1);
  const read = at === null ? undefined : points[at];
  const summary = describeChart(data);
  return (
    <figure className="flex flex-col gap-2" data-testid="chart">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-1">
        <Legend />
        <Button
          className="ml-auto min-h-7! py-0.5!"
          data-testid="chart-table-toggle"
          onClick={() => setTable(!table)}
          variant="quiet"
        >
          {table ? "Show as chart" : "Show as table"}
        </Button>
      </div>
      {table ? (
        <Table data={data} label={label} />
      ) : (
        <ChartFrame
          at={at}
          count={points.length}
          label={label}
          onRead={setPointed}
          read={read && describePoint(read)}
          summary={summary}
          testId="chart-plot"
        >
          <Plot at={at} data={data} height={height} onPoint={setPointed} />
        </ChartFrame>
      )}
      {/* Always as high, so that nothing jumps. */}
      <figcaption
        className="min-h-10 text-sm text-muted-foreground tabular-nums sm:min-h-5"
        data-testid="chart-readout"
      >
        {read ? describePoint(read) : summary}
      </figcaption>
    </figure>
  );
}

function Legend() {
  return (
    <ul className="flex flex-wrap items-center gap-x-4 gap-y-1 py-1 text-xs text-muted-foreground">
      <li className="flex items-center gap-1.5">
        <Sample>
          <path className="stroke-primary" d="M0 6h20" strokeWidth={2} />
        </Sample>
        p50
      </li>
      <li className="flex items-center gap-1.5">
        <Sample>
          <path className="stroke-muted-foreground" d="M0 6h20" strokeDasharray="4 3" strokeWidth={1.2} />
        </Sample>
        p95
      </li>
      <li className="flex items-center gap-1.5">
        <Sample>
          <path className="fill-success" d="M0 9h10v3h-10z" />
          <path className="fill-danger" d="M10 1h4v11h-4z" />
          <path className="fill-success" d="M14 9h6v3h-6z" />
        </Sample>
        passed and failed runs
      </li>
      <li className="flex items-center gap-1.5">
        <Sample>
          <path className="stroke-muted-foreground" d="M-2 12l8-12M4 12l8-12M10 12l8-12M16 12l8-12" opacity={0.6} />
        </Sample>
        not measured
      </li>
    </ul>
  );
}

function Sample({ children }: { children: ReactNode }) {
  return (
    <svg aria-hidden="true" className="h-3 w-5" viewBox="0 0 20 12">
      {children}
    </svg>
  );
}

const rowsAtOnce = 100;

/** Data of the chart, the latest first. */
function Table({ data, label }: ChartProps) {
  const [shown, setShown] = useState(rowsAtOnce);
  const changes = data.transitions.toReversed();
  return (
    <section
      aria-label={`${label}, as a table`}
      className="flex max-h-96 min-h-64 flex-col gap-3 overflow-auto rounded-lg border"
      data-testid="chart-table"
      // Scrolls, so that a keyboard has to reach it.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 bg-muted text-left text-xs text-muted-foreground">
          <tr>
            {["From", "p50", "p95", "Slowest", "Runs", "Failed", "Passed"].map((head) => (
              <th className="px-3 py-1.5 font-medium" key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {data.points
            .slice(-shown)
            .toReversed()
            .map((point) => (
              <tr key={point.at}>
                <th className="px-3 py-1 text-left font-normal whitespace-nowrap" scope="row">
                  {pointTime(point.at)}
                </th>
                <td className="px-3 py-1">{duration(point.runs > 0 ? point.p50Ms : null)}</td>
                <td className="px-3 py-1">{duration(point.runs > 0 ? point.p95Ms : null)}</td>
                <td className="px-3 py-1">{duration(point.runs > 0 ? point.maxMs : null)}</td>
                <td className="px-3 py-1">{point.runs}</td>
                <td className="px-3 py-1">{point.failed}</td>
                <td className="px-3 py-1">
                  {judged(point) > 0 ? availability(1 - point.failed / judged(point)) : "–"}
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      {data.points.length > shown && (
        <Button className="mx-auto" onClick={() => setShown(shown + rowsAtOnce)}>
          Show more
        </Button>
      )}
      {changes.length > 0 && (
        <ul aria-label="Changes" className="px-3 pb-2 text-sm">
          {changes.map((change) => (
            <li key={`${change.at} ${change.after}`}>
              {pointTime(change.at)}: {statusWords[statusOf(change.before)].label.toLowerCase()} to{" "}
              {statusWords[statusOf(change.after)].label.toLowerCase()}
              {change.reason && `. ${change.reason}`}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
