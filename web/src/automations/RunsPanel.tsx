import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { automationRunsQuery, type AutomationRun, type RunStatus } from "../api/automations";
import { Button } from "../ui/Button";
import { SelectFilter } from "../ui/Filters";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { RunStatusBadge } from "./Badges";
import { runLabels, took } from "./words";

const options: { value: RunStatus | undefined; label: string }[] = [
  { value: undefined, label: "All runs" },
  ...Object.entries(runLabels).map(([value, label]) => ({ value: value as RunStatus, label })),
];

/** The runs of an automation, and what was skipped, the newest first. */
export function RunsPanel({ automationId }: { automationId: string }) {
  const [status, setStatus] = useState<RunStatus>();
  const runs = useInfiniteQuery({
    ...automationRunsQuery(automationId, status),
    placeholderData: keepPreviousData,
  });
  const list = runs.data?.pages.flatMap((page) => page.runs);
  return (
    <Panel title="Runs">
      <div className="mb-3">
        <SelectFilter label="Status of runs" onChange={setStatus} options={options} value={status} />
      </div>
      <ErrorNotice error={runs.error} onRetry={() => void runs.refetch()} />
      {!list && !runs.error && <SkeletonRows />}
      {list?.length === 0 && (
        <p className="text-sm text-muted-foreground">{status ? "No run has this status." : "No runs yet."}</p>
      )}
      {list && list.length > 0 && (
        <ul aria-label="Runs" className="-mx-4 divide-y border-y" data-testid="runs">
          {list.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </ul>
      )}
      {runs.hasNextPage && (
        <Button busy={runs.isFetchingNextPage} className="mx-auto mt-3 flex" onClick={() => void runs.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Panel>
  );
}

function RunRow({
  run: { id, createdAt, status, cancelling, triggerId, startedAt, endedAt, reason },
}: {
  run: AutomationRun;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm" data-testid="automation-run">
      <Link
        className="whitespace-nowrap tabular-nums underline underline-offset-2 hover:text-primary"
        params={{ runId: id }}
        to="/automations/runs/$runId"
      >
        <time dateTime={createdAt}>{fullTime(createdAt)}</time>
      </Link>
      <RunStatusBadge cancelling={cancelling} status={status} />
      <span className="text-muted-foreground wrap-anywhere">{triggerId}</span>
      {startedAt && endedAt && (
        <span className="ml-auto text-muted-foreground tabular-nums">{took(startedAt, endedAt)}</span>
      )}
      {reason && <span className="w-full min-w-0 text-muted-foreground wrap-anywhere">{reason}</span>}
    </li>
  );
}
