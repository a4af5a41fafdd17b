import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { auditExportUrl, auditQuery, auditStatusQuery, type AuditFilter, type ToolCall } from "../api/audit";
import { Badge } from "../ui/Badge";
import { Button, buttonShape } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { AuditDetail } from "./AuditDetail";
import { AuditFilters } from "./AuditFilters";
import { callStatusTones, effectTones, transportLabels } from "./auditwords";

const route = getRouteApi("/app/admin/audit");

export function AuditPage() {
  const { call, ...filter } = route.useSearch();
  const navigate = useNavigate();
  const now = useNow(30_000);
  const [cleared, setCleared] = useState(0);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } = useInfiniteQuery({
    ...auditQuery(filter),
    placeholderData: keepPreviousData,
  });
  const calls = data?.pages.flatMap((page) => page.calls);
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const show = (next: AuditFilter) => void navigate({ to: "/admin/audit", search: next, replace: true });
  const principal = filter.principal && calls ? principalName(calls, filter.principal) : undefined;

  return (
    <Page
      actions={
        <>
          <Button icon="repeat" onClick={() => void refetch()}>
            Refresh
          </Button>
          <ExportLink filter={filter} format="csv" label="CSV" />
          <ExportLink filter={filter} format="ndjson" label="NDJSON" />
        </>
      }
      description="Every tool call: who made it, by which way, and how it ended. Arguments are not kept, only their hash."
      testId="audit-page"
      title="Audit log"
    >
      <ChainStatus now={now} />
      <AuditFilters filter={filter} key={cleared} onChange={show} principalName={principal} />
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!calls && !error && <SkeletonRows rows={8} />}
      {calls?.length === 0 && (
        <EmptyState
          action={
            filtered && (
              <Button
                onClick={() => {
                  setCleared((times) => times + 1);
                  show({});
                }}
              >
                Clear filters
              </Button>
            )
          }
          title={filtered ? "No tool call fits these filters" : "No tool has been called yet"}
        >
          {filtered
            ? "Choose a longer time or fewer filters."
            : "Calls of the assistant and of applications appear here."}
        </EmptyState>
      )}
      {calls && calls.length > 0 && (
        <div aria-busy={isPlaceholderData} className={isPlaceholderData ? "opacity-60" : undefined}>
          <CallTable calls={calls} filter={filter} now={now} />
        </div>
      )}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} className="self-center" onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
      {call && <AuditDetail filter={filter} id={call} onClose={() => show(filter)} />}
    </Page>
  );
}

function principalName(calls: ToolCall[], id: string): string | undefined {
  for (const { principal, appliedBy } of calls) {
    if (principal.id === id) return principal.name;
    if (appliedBy?.id === id) return appliedBy.name;
  }
  return undefined;
}

function ExportLink({ filter, format, label }: { filter: AuditFilter; format: "csv" | "ndjson"; label: string }) {
  return (
    <a
      aria-label={`Export as ${label}`}
      className={`${buttonShape} border-input bg-card text-foreground hover:bg-muted`}
      data-testid={`export-${format}`}
      download
      href={auditExportUrl(filter, format)}
    >
      <Icon name="down" size={16} />
      {label}
    </a>
  );
}

/** How the hash chain was when the server last checked it. */
function ChainStatus({ now }: { now: number }) {
  const { data: status, error } = useQuery(auditStatusQuery);
  if (error) return <ErrorNotice error={error} />;
  if (!status) return null;
  if (status.problem) {
    return (
      <div
        className="flex items-start gap-2.5 rounded-lg bg-danger-soft px-3 py-2.5 text-sm text-danger"
        data-testid="chain-broken"
        role="alert"
      >
        <Icon className="mt-0.5" name="alert" size={16} />
        <div className="min-w-0">
          <p className="font-medium">
            The chain is broken{status.brokenAt ? ` at ${status.brokenAt}` : ""}. Somebody has changed the log, or lost
            a part of it.
          </p>
          <p className="wrap-anywhere">{status.problem}</p>
        </div>
      </div>
    );
  }
  return (
    <div
      className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted-foreground"
      data-testid="chain-status"
    >
      {status.verifiedAt && (status.verifiedEntries > 0 || status.entries === 0) ? (
        <Badge title={fullTime(status.verifiedAt)} tone="success">
          <Icon name="check" size={13} />
          Chain verified {timeAgo(status.verifiedAt, now)}
        </Badge>
      ) : (
        <Badge>Chain not verified yet</Badge>
      )}
      <span>
        {status.entries.toLocaleString("en")} entries
        {status.verifiedEntries < status.entries && `, ${status.verifiedEntries.toLocaleString("en")} of them verified`}
      </span>
      {status.waitingSeconds > 60 && <Badge tone="warning">entries wait for their place; does a worker run?</Badge>}
      {status.head && (
        <code className="max-w-full truncate font-mono text-xs" title={`The end of the chain: ${status.head}`}>
          {status.head.slice(0, 28)}…
        </code>
      )}
    </div>
  );
}

function CallTable({ calls, filter, now }: { calls: ToolCall[]; filter: AuditFilter; now: number }) {
  return (
    <div className="overflow-hidden rounded-xl border bg-card shadow-raised">
      <table className="w-full text-left text-sm">
        <thead className="border-b text-xs text-muted-foreground">
          <tr>
            <th className="px-4 py-2.5 font-medium">Tool</th>
            <th className="hidden px-3 py-2.5 font-medium sm:table-cell">Who</th>
            <th className="hidden px-3 py-2.5 font-medium md:table-cell">Way</th>
            <th className="px-3 py-2.5 font-medium">Status</th>
            <th className="hidden px-4 py-2.5 text-right font-medium sm:table-cell">When</th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {calls.map((call) => (
            <tr
              className="relative align-top focus-within:bg-muted hover:bg-muted"
              data-testid="audit-row"
              key={call.id}
            >
              <td className="px-4 py-2.5">
                <Link
                  className="font-mono text-[0.8125rem] wrap-anywhere after:absolute after:inset-0 hover:text-primary"
                  resetScroll={false}
                  search={{ ...filter, call: call.id }}
                  to="/admin/audit"
                >
                  {call.toolName}
                </Link>{" "}
                {call.effect !== "read" && <Badge tone={effectTones[call.effect]}>{call.effect}</Badge>}
                <div className="text-xs text-muted-foreground sm:hidden">
                  {call.principal.name || call.principal.kind} · {timeAgo(call.createdAt, now)}
                </div>
              </td>
              <td className="hidden px-3 py-2.5 wrap-anywhere sm:table-cell">
                {call.principal.name || `deleted ${call.principal.kind}`}
              </td>
              <td className="hidden px-3 py-2.5 text-muted-foreground md:table-cell">
                {transportLabels[call.transport]}
              </td>
              <td className="px-3 py-2.5">
                <Badge tone={callStatusTones[call.status]}>{call.status}</Badge>
                {call.errorCode && <div className="mt-0.5 text-xs text-muted-foreground">{call.errorCode}</div>}
              </td>
              <td className="hidden px-4 py-2.5 text-right whitespace-nowrap text-muted-foreground sm:table-cell">
                <time dateTime={call.createdAt} title={fullTime(call.createdAt)}>
                  {timeAgo(call.createdAt, now)}
                </time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
