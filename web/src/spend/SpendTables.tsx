import type { SpendReport, SpendSeries } from "../api/spend";
import { cost } from "../inspector/words";
import { useTheme } from "../shell/theme";
import { inWords, seriesColor, seriesName, slotName, splitWords, totals, valueOf, type Measure } from "./spenddata";

interface SpendTablesProps {
  report: SpendReport;
  measure: Measure;
  /** Looks at one connection or person alone. */
  onOnly?: (key: string) => void;
}

const cell = "px-3 py-1.5 text-right whitespace-nowrap";

/** Usage by series, which is the legend of the chart too, and by slot. */
export function SpendTables({ report, measure, onOnly }: SpendTablesProps) {
  const { dark } = useTheme();
  const sums = totals(report, measure);
  const what = splitWords[report.split];
  return (
    <>
      <section
        aria-label={`By ${what.toLowerCase()}`}
        className="overflow-x-auto rounded-xl border bg-card shadow-raised"
        // Scrolls on a phone, so that a keyboard has to reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        <table className="w-full text-sm tabular-nums" data-testid="spend-table">
          <caption className="sr-only">Usage by {what.toLowerCase()}</caption>
          <thead className="bg-muted/50 text-xs text-muted-foreground">
            <tr>
              <th className="px-3 py-1.5 text-left font-medium" scope="col">
                {what}
              </th>
              {["Calls", "Input", "Output", "Tokens", "Cost"].map((head) => (
                <th className={`${cell} font-medium`} key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {report.series.map((series, at) => (
              <tr key={keyOf(series)}>
                <th className="px-3 py-1.5 text-left font-normal" scope="row">
                  <span className="flex min-w-40 items-center gap-2">
                    <span
                      aria-hidden="true"
                      className="size-3 shrink-0 rounded-sm"
                      style={{ background: seriesColor(at, series.others, dark) }}
                    />
                    <Name onOnly={onOnly} report={report} series={series} />
                  </span>
                </th>
                <td className={cell}>{series.total.calls.toLocaleString("en")}</td>
                <td className={cell}>{series.total.inputTokens.toLocaleString("en")}</td>
                <td className={cell}>{series.total.outputTokens.toLocaleString("en")}</td>
                <td className={cell}>{series.total.tokens.toLocaleString("en")}</td>
                <td className={cell}>{priceWords(series)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <details className="rounded-xl border bg-card shadow-raised">
        <summary className="cursor-pointer px-4 py-2.5 text-sm font-medium">Each {report.step} as a table</summary>
        <section
          aria-label={`By ${report.step}`}
          className="max-h-96 overflow-auto border-t"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
        >
          <table className="w-full text-sm tabular-nums">
            <caption className="sr-only">Usage by {report.step}</caption>
            <thead className="sticky top-0 bg-muted text-xs text-muted-foreground">
              <tr>
                <th className="px-3 py-1.5 text-left font-medium" scope="col">
                  From
                </th>
                <th className={`${cell} font-medium`} scope="col">
                  All
                </th>
                {report.series.map((series) => (
                  <th className={`${cell} font-medium`} key={keyOf(series)} scope="col">
                    {seriesName(series, report.split)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y">
              {report.starts
                .map((start, slot) => (
                  <tr key={start}>
                    <th className="px-3 py-1.5 text-left font-normal whitespace-nowrap" scope="row">
                      {slotName(start, report.step, report.zone)}
                    </th>
                    <td className={cell}>{inWords(sums[slot] ?? 0, measure)}</td>
                    {report.series.map((series) => (
                      <td className={cell} key={keyOf(series)}>
                        {series.slots[slot] ? inWords(valueOf(series.slots[slot], measure), measure) : ""}
                      </td>
                    ))}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}

/** Also of a model that is called as all others are. */
const keyOf = ({ key, others }: SpendSeries) => (others ? "others" : `one ${key}`);

/** Known cost: calls without a price have none. */
function priceWords({ total }: SpendSeries): string {
  if (total.priced === 0) return "not known";
  return total.priced < total.calls ? `${cost(total.costMicros)} or more` : cost(total.costMicros);
}

interface NameProps {
  report: SpendReport;
  series: SpendSeries;
  onOnly: ((key: string) => void) | undefined;
}

function Name({ report, series, onOnly }: NameProps) {
  const name = seriesName(series, report.split);
  if (!onOnly || series.others || (report.split !== "connection" && report.split !== "person")) {
    return <span className="wrap-anywhere">{name}</span>;
  }
  return (
    <button
      className="rounded text-left wrap-anywhere text-primary underline-offset-2 hover:underline"
      onClick={() => onOnly(series.key)}
      type="button"
    >
      <span className="sr-only">Only </span>
      {name}
    </button>
  );
}
