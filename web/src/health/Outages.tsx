import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { periodQuery, pollInterval, type ChartOf, type Downtime } from "../api/health";
import { Button } from "../ui/Button";
import { ErrorNotice, Skeleton } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { causeWords } from "./causes";
import { availability, count, lasting } from "./format";
import { StatusBadge } from "./StatusBadge";

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
            <Figure
              hint={data.dueTimes ? "The due times that were not missed" : "The measured time without downtime"}
              label="Available"
              value={availability(data.availability)}
            />
            {!!data.dueTimes && (
              <Figure
                hint="Late, silent or failed"
                label="Due times missed"
                value={`${data.missedDueTimes ?? 0} of ${data.dueTimes}`}
              />
            )}
            {notMeasured(data.seconds) > 0 && (
              <Figure
                hint="Paused, not run yet, or not running"
                label="Not measured"
                value={time(notMeasured(data.seconds))}
              />
            )}
            <Figure label="Runs" value={data.runs.toLocaleString("en")} />
            {data.missed > 0 && (
              <Figure hint="Scheduled but not run" label="Missed" value={data.missed.toLocaleString("en")} />
            )}
          </dl>
          <Lost downtime={data.downtime} older={data.olderOutages ?? 0} />
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

const notMeasured = (seconds: { status: string; seconds: number }[]) =>
  seconds.find(({ status }) => status === "unknown")?.seconds ?? 0;

const shownAtFirst = 5;

/** Each outage with its beginning, the change of the status, and which checks decided. */
function Lost({ downtime, older }: { downtime: Downtime[]; older: number }) {
  const [all, setAll] = useState(false);
  if (downtime.length === 0) return null;
  const shown = all ? downtime : downtime.slice(0, shownAtFirst);
  return (
    <div className="flex flex-col items-start gap-1">
      <ol aria-label="Downtime" className="w-full divide-y rounded-lg border text-sm" data-testid="downtime">
        {shown.map((outage) => (
          <li className="flex flex-col gap-1 px-3 py-2" key={outage.from}>
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1 tabular-nums">
              <StatusBadge status={outage.status} />
              <span className="font-medium">{time(outage.seconds) === "–" ? "1 s" : time(outage.seconds)}</span>
              <span>
                {clock(outage.from)} to {outage.ongoing ? "now" : clock(outage.to)}
              </span>
              <span className="text-muted-foreground">status changed {clock(outage.changedAt)}</span>
            </p>
            {outage.parts.map((part) => (
              <p className="text-muted-foreground wrap-anywhere" key={part.from}>
                {outage.parts.length > 1 && `From ${clock(part.from)}: `}
                {[part.checkName, part.reason].filter(Boolean).join(": ")}
              </p>
            ))}
          </li>
        ))}
      </ol>
      {downtime.length > shown.length && (
        <Button onClick={() => setAll(true)} variant="quiet">
          Show all {downtime.length}
        </Button>
      )}
      {all && older > 0 && (
        <p className="text-sm text-muted-foreground">{count(older, "older outage")} in this period not listed.</p>
      )}
    </div>
  );
}

const clock = (at: string) => new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });

const time = (seconds: number) => (seconds === 0 ? "–" : seconds < 60 ? `${seconds} s` : lasting(seconds * 1_000));

function Figure({ label, hint, value }: { label: string; hint?: string; value: string }) {
  return (
    <div title={hint}>
      <dt className="text-xs text-muted-foreground">{label}</dt>
      <dd className="text-base font-medium">{value}</dd>
    </div>
  );
}
