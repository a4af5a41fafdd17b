import { useQuery } from "@tanstack/react-query";
import { measures, spans, spendReportQuery, splits, type SpendFilter, type SpendReport } from "../api/spend";
import { Button } from "../ui/Button";
import { SelectFilter } from "../ui/Filters";
import { EmptyState, ErrorNotice, Skeleton } from "../ui/Notice";
import { SpendChart } from "./SpendChart";
import { csvName, csvOf, splitWords } from "./spenddata";
import { SpendTables } from "./SpendTables";

const spanWords = {
  day: "Today, by hours",
  week: "7 days",
  month: "30 days",
  quarter: "13 weeks",
  year: "12 months",
} as const;
const measureWords = { tokens: "Tokens", cost: "Cost" } as const;

interface SpendPanelProps {
  filter: SpendFilter;
  onFilter: (filter: SpendFilter) => void;
  /** Only the reader's usage. */
  own?: boolean;
}

/** Model usage: filters, limits, a chart, tables, and a file. */
export function SpendPanel({ filter, onFilter, own = false }: SpendPanelProps) {
  const { data: report, error, refetch } = useQuery(spendReportQuery(own, filter));
  const { measure = "tokens", span = "month", split = "connection" } = filter;
  const set = (change: SpendFilter) => onFilter({ ...filter, ...change });
  const alone = own || filter.principalId !== undefined;
  const choices = alone ? splits.filter((one) => one !== "person" && one !== "team") : splits;
  // By the shown report, which is the previous one while the next is loading.
  const only = (by: SpendReport["split"], key: string) =>
    set(
      by === "connection"
        ? { connectionId: key, split: alone ? "model" : "person" }
        : { principalId: key, split: filter.connectionId ? "model" : "connection" },
    );
  return (
    <div className="flex flex-col gap-4" data-testid="spend-panel">
      <div className="flex flex-wrap items-center gap-2">
        <SelectFilter
          label="Time"
          onChange={(value) => set({ span: value })}
          options={spans.map((value) => ({ value, label: spanWords[value] }))}
          testId="spend-span"
          value={span}
        />
        <SelectFilter
          label="Split by"
          onChange={(value) => set({ split: value })}
          options={choices.map((value) => ({ value, label: `By ${splitWords[value].toLowerCase()}` }))}
          testId="spend-split"
          value={split}
        />
        <SelectFilter
          label="Show"
          onChange={(value) => set({ measure: value })}
          options={measures.map((value) => ({ value, label: measureWords[value] }))}
          testId="spend-measure"
          value={measure}
        />
        {filter.connectionId && (
          <Button icon="close" onClick={() => set({ connectionId: undefined, split: "connection" })}>
            Only one connection
          </Button>
        )}
        {filter.principalId && (
          <Button icon="close" onClick={() => set({ principalId: undefined, split: "person" })}>
            Only one person
          </Button>
        )}
        {report && report.series.length > 0 && (
          <Button className="ml-auto" data-testid="spend-csv" icon="down" onClick={() => save(report)}>
            Save as CSV
          </Button>
        )}
      </div>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!report && !error && <Skeleton className="h-64 w-full" />}
      {report && (
        <>
          <Limits report={report} />
          {report.series.length === 0 ? (
            <EmptyState title="No usage in this period">
              {own ? "Your use of the assistant is counted here." : "Choose a longer time, or fewer filters."}
            </EmptyState>
          ) : (
            <>
              <SpendChart
                connectionId={filter.connectionId}
                label={own ? "Your usage" : "Usage"}
                measure={measure}
                report={report}
              />
              <SpendTables measure={measure} onOnly={(key) => only(report.split, key)} report={report} />
            </>
          )}
        </>
      )}
    </div>
  );
}

/** The current usage of each limit. */
function Limits({ report }: { report: SpendReport }) {
  if (report.limits.length === 0) return null;
  return (
    <ul aria-label="Limits" className="flex flex-col gap-2" data-testid="spend-limits">
      {report.limits.map((limit) => {
        const part = Math.min(1, limit.used / limit.tokens);
        return (
          <li className="text-sm" key={limit.connectionId}>
            <div className="flex flex-wrap justify-between gap-x-3">
              <span className="min-w-0 wrap-anywhere">{limit.connectionName}</span>
              <span className={part >= 1 ? "text-danger" : "text-muted-foreground"}>
                {limit.used.toLocaleString("en")} of {limit.tokens.toLocaleString("en")} tokens{" "}
                {windowWords(limit.windowMinutes)}
              </span>
            </div>
            <div
              aria-label={`${limit.connectionName}: ${limit.used} of ${limit.tokens} tokens`}
              aria-valuemax={limit.tokens}
              aria-valuemin={0}
              aria-valuenow={Math.min(limit.used, limit.tokens)}
              className="mt-1 h-1.5 overflow-hidden rounded-full bg-border"
              role="meter"
            >
              <div className={`h-full ${part >= 1 ? "bg-danger" : "bg-primary"}`} style={{ width: `${part * 100}%` }} />
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function windowWords(minutes: number): string {
  if (minutes % 1440 === 0) return minutes === 1440 ? "in 24 hours" : `in ${minutes / 1440} days`;
  if (minutes % 60 === 0) return minutes === 60 ? "in an hour" : `in ${minutes / 60} hours`;
  return `in ${minutes} minutes`;
}

/** Hands the report to the browser as a file. */
function save(report: SpendReport): void {
  const address = URL.createObjectURL(new Blob([csvOf(report)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = csvName(report);
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
