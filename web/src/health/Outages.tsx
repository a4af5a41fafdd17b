import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { periodQuery, pollInterval, type ChartOf } from "../api/health";
import { ErrorNotice, Skeleton } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { causeWords } from "./causes";
import { availability, count, lasting } from "./format";

/** Outages of a period: number, duration, time to recover, and why runs did not pass. */
export function Outages({ of, label, words }: { of: ChartOf; label: string; words: string }) {
  const { data, error, refetch } = useQuery({
    ...periodQuery(of),
    placeholderData: keepPreviousData,
    refetchInterval: Math.min(60_000, Math.max(pollInterval, of.span / 500)),
  });
  return (
    <Panel title={`Outages, ${words}`}>
      {!data &&
        (error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton className="h-16 w-full" />)}
      {data && (
        <div className="flex flex-col gap-3" data-testid="outages">
          <dl aria-label={`Outages of ${label}`} className="flex flex-wrap gap-x-8 gap-y-3 tabular-nums">
            <Figure label="Outages" value={data.outages.toLocaleString("en")} />
            <Figure label="Down in all" value={time(data.downSeconds)} />
            <Figure label="Longest" value={time(data.longestOutageSeconds)} />
            <Figure hint="Of outages that ended" label="Time to recover" value={time(data.meanOutageSeconds)} />
            <Figure label="Available" value={availability(data.availability)} />
            <Figure label="Runs" value={data.runs.toLocaleString("en")} />
            {data.missed > 0 && (
              <Figure hint="Scheduled but not run" label="Missed" value={data.missed.toLocaleString("en")} />
            )}
          </dl>
          {data.causes.length > 0 && (
            <p className="text-sm text-muted-foreground">
              Why runs did not pass:{" "}
              {data.causes
                .slice(0, 5)
                .map(({ cause, n }) => `${causeWords(cause)} (${count(n, "run")})`)
                .join(", ")}
              .
            </p>
          )}
        </div>
      )}
    </Panel>
  );
}

const time = (seconds: number) => (seconds === 0 ? "–" : seconds < 60 ? `${seconds} s` : lasting(seconds * 1_000));

function Figure({ label, hint, value }: { label: string; hint?: string; value: string }) {
  return (
    <div title={hint}>
      <dt className="text-xs text-muted-foreground">{label}</dt>
      <dd className="text-base font-medium">{value}</dd>
    </div>
  );
}
