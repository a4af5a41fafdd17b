import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { pollInterval, runQuery, runsQuery, type HealthTarget, type Run, type SystemHealth } from "../api/health";
import { Button, Spinner } from "../ui/Button";
import { SelectFilter } from "../ui/Filters";
import { AskAbout } from "../ui/AskAbout";
import { Icon } from "../ui/Icon";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { runWords } from "./causes";
import { duration } from "./format";
import { useLive } from "./live";
import { useHealthPermission } from "./permission";
import { RunReport } from "./RunReport";
import { verdictOf, type Verdict } from "./status";
import { verdictWords } from "./statuswords";
import { VerdictBadge } from "./StatusBadge";
import { fullTime } from "../ui/time";
import { aboutRun, targetLabel } from "./targets";

const options: { value: Verdict | undefined; label: string }[] = [
  { value: undefined, label: "All runs" },
  ...Object.entries(verdictWords).map(([value, { label }]) => ({ value: value as Verdict, label })),
];

interface RecentRunsProps {
  system: SystemHealth;
  target: HealthTarget | undefined;
  verdict: Verdict | undefined;
  onVerdict: (verdict: Verdict | undefined) => void;
}

/** The last runs of one check of a system, each with how its assertions ended. */
export function RecentRuns({ system, target, verdict, onVerdict }: RecentRunsProps) {
  const { details } = useHealthPermission();
  if (!target) return null;
  return (
    <Panel title={`Last runs of ${targetLabel(target)}`}>
      {!details && (
        <p className="mb-3 text-sm text-muted-foreground" data-testid="no-details">
          Findings may be sensitive: they need the rule “healthcheck.healthcheck.details.read”.
        </p>
      )}
      <div className="mb-3">
        <SelectFilter label="Verdict" onChange={onVerdict} options={options} testId="run-verdict" value={verdict} />
      </div>
      <Runs key={`${target.id} ${verdict}`} system={system} target={target} verdict={verdict} />
    </Panel>
  );
}

function Runs({
  system,
  target,
  verdict,
}: {
  system: SystemHealth;
  target: HealthTarget;
  verdict: Verdict | undefined;
}) {
  const [open, setOpen] = useState<number | null>(null);
  const pause = Math.min(useLive(), Math.max(pollInterval, target.intervalSeconds * 1_000));
  const runs = useInfiniteQuery({
    ...runsQuery(target.id, verdict),
    placeholderData: keepPreviousData,
    // An opened run, and further loaded pages, stay as they are.
    refetchInterval: ({ state }) => (open !== null || (state.data?.pages.length ?? 0) > 1 ? false : pause),
  });
  const list = runs.data?.pages.flatMap((page) => page.runs);
  if (!list)
    return runs.error ? <ErrorNotice error={runs.error} onRetry={() => void runs.refetch()} /> : <SkeletonRows />;
  if (list.length === 0)
    return <p className="text-sm text-muted-foreground">{verdict ? "No run has this verdict." : "No run yet."}</p>;
  return (
    <>
      <ul aria-label="Runs" className="-mx-4 divide-y border-y" data-testid="runs">
        {list.map((run) => (
          <RunRow
            key={run.slot}
            onToggle={() => setOpen(open === run.slot ? null : run.slot)}
            open={open === run.slot}
            run={run}
            system={system}
            target={target}
          />
        ))}
      </ul>
      {runs.hasNextPage && (
        <Button
          busy={runs.isFetchingNextPage}
          className="mx-auto mt-3 flex"
          data-testid="more-runs"
          onClick={() => void runs.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  );
}

interface RunRowProps {
  run: Run;
  system: SystemHealth;
  target: HealthTarget;
  open: boolean;
  onToggle: () => void;
}

function RunRow({ run, system, target, open, onToggle }: RunRowProps) {
  const { details } = useHealthPermission();
  const at = new Date(run.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
  return (
    <li data-testid="run" data-verdict={run.verdict}>
      <button
        aria-expanded={open}
        disabled={!details}
        className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-left text-sm hover:bg-muted"
        onClick={onToggle}
        type="button"
      >
        {details && <Icon className={open ? "rotate-90" : ""} name="chevron" size={14} />}
        <span className="whitespace-nowrap tabular-nums">{at}</span>
        <VerdictBadge verdict={verdictOf(run.verdict)} />
        <span className="ml-auto text-muted-foreground tabular-nums">{duration(run.tookMs)}</span>
        <span className="w-full min-w-0 pl-6 text-muted-foreground wrap-anywhere empty:hidden">{runWords(run)}</span>
      </button>
      {open && <RunDetails run={run} system={system} target={target} />}
    </li>
  );
}

function RunDetails({ run, system, target }: { run: Run; system: SystemHealth; target: HealthTarget }) {
  const { data, error, refetch } = useQuery(runQuery(target.id, run.slot));
  return (
    <div className="flex flex-col gap-3 px-4 pt-1 pb-4 pl-10">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Spinner />}
      {data?.message && <p className="text-sm wrap-anywhere">{data.message}</p>}
      {data?.reported && <RunReport report={data} />}
      {data && !data.reported && (
        <p className="text-sm text-muted-foreground">
          {run.verdict === "passed"
            ? "All assertions passed. One response of a passed run is kept an hour."
            : "The response is not kept."}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Link
          className="text-sm text-primary underline underline-offset-2"
          params={{ systemId: system.systemId, targetId: String(target.id), slot: String(run.slot) }}
          to="/health/systems/$systemId/runs/$targetId/$slot"
        >
          Open run
        </Link>
        <AskAbout about={aboutRun(system, target, run.at)} name={fullTime(run.at)} noun="run" small />
      </div>
    </div>
  );
}
