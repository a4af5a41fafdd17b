import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { auditExportUrl, auditQuery, type AuditFilter, type ToolCall } from "../api/audit";
import { Badge } from "../ui/Badge";
import { actorName, throughProgram } from "../history/words";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { AuditDetail } from "./AuditDetail";
import { AuditFilters } from "./AuditFilters";
import { LogPage } from "./AuditFrame";
import { callStatusTones, effectTones, narrowedNames, transportLabels } from "./auditwords";

const route = getRouteApi("/app/admin/audit");

export function AuditPage() {
  const { call, ...filter } = route.useSearch();
  const navigate = useNavigate();
  const now = useNow(30_000);
  const query = useInfiniteQuery({ ...auditQuery(filter), placeholderData: keepPreviousData });
  const calls = query.data?.pages.flatMap((page) => page.calls);
  const show = (next: AuditFilter) => void navigate({ to: "/admin/audit", search: next, replace: true });
  const actors = calls?.flatMap(({ principal, appliedBy }) => [principal, appliedBy]) ?? [];

  return (
    <>
      <LogPage
        description="Every tool call: caller, channel and outcome. Only a hash of the arguments is kept."
        entries={calls}
        exportUrl={(format) => auditExportUrl(filter, format)}
        filter={filter}
        filters={<AuditFilters filter={filter} onChange={show} {...narrowedNames(actors, filter)} />}
        none={{
          title: "No tool calls yet",
          text: "Calls of the assistant and of applications appear here.",
          fits: "No tool calls match these filters",
        }}
        now={now}
        onClear={() => show({})}
        query={query}
        testId="audit-page"
      >
        {(read) => (
          <div aria-busy={query.isPlaceholderData} className={query.isPlaceholderData ? "opacity-60" : undefined}>
            <CallTable calls={read} filter={filter} now={now} />
          </div>
        )}
      </LogPage>
      {call && <AuditDetail filter={filter} id={call} onClose={() => show(filter)} />}
    </>
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
                {actorName(call.principal)}
                <div className="text-xs text-muted-foreground">{throughProgram(call.principal)}</div>
              </td>
              <td className="hidden px-3 py-2.5 text-muted-foreground md:table-cell">
                {transportLabels[call.transport]}
              </td>
              <td className="px-3 py-2.5">
                <Badge tone={callStatusTones[call.status]}>{call.status}</Badge>
                {call.errorCode && <div className="mt-0.5 text-xs text-muted-foreground">{call.errorCode}</div>}
                {call.more && (
                  <div className="text-xs text-muted-foreground" title={`The last one ${fullTime(call.more.last)}`}>
                    and {call.more.count.toLocaleString()} more
                  </div>
                )}
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
