import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { auditStatusQuery } from "../api/audit";
import { Badge } from "../ui/Badge";
import { Button, buttonShape } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { fullTime, timeAgo } from "../ui/time";

interface LogPageProps<Entry> {
  testId: string;
  description: string;
  /** Texts for a log without entries, or without matching ones. */
  none: { title: string; text: string; fits: string };
  /** The entries read so far; undefined before the first answer. */
  entries: Entry[] | undefined;
  query: {
    error: Error | null;
    refetch: () => unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
  filter: object;
  filters: ReactNode;
  now: number;
  exportUrl: (format: "csv" | "ndjson") => string;
  onClear: () => void;
  children: (entries: Entry[]) => ReactNode;
}

/** Frame of both lists of the audit log. */
export function LogPage<Entry>(props: LogPageProps<Entry>) {
  const { entries, query, none } = props;
  const filtered = Object.values(props.filter).some((value) => value !== undefined);
  return (
    <Page
      actions={
        <>
          <Button icon="repeat" onClick={() => void query.refetch()}>
            Refresh
          </Button>
          <ExportLink format="csv" href={props.exportUrl("csv")} label="CSV" />
          <ExportLink format="ndjson" href={props.exportUrl("ndjson")} label="NDJSON" />
        </>
      }
      description={props.description}
      testId={props.testId}
      title="Audit log"
    >
      <AuditViews />
      <ChainStatus now={props.now} />
      {props.filters}
      <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      {!entries && !query.error && <SkeletonRows rows={8} />}
      {entries?.length === 0 && (
        <EmptyState
          action={filtered && <Button onClick={props.onClear}>Clear filters</Button>}
          title={filtered ? none.fits : none.title}
        >
          {filtered ? "Choose a longer time or fewer filters." : none.text}
        </EmptyState>
      )}
      {entries && entries.length > 0 && props.children(entries)}
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} className="self-center" onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  );
}

const view = "rounded-lg px-3 py-1.5 text-sm font-medium";
const views = [
  { to: "/admin/audit", label: "Tool calls" },
  { to: "/admin/audit/changes", label: "Changes and sign-ins" },
] as const;

/** The two lists of the audit log. */
function AuditViews() {
  return (
    <nav aria-label="Lists of the audit log" className="flex flex-wrap gap-1">
      {views.map(({ to, label }) => (
        <Link
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: "bg-muted text-foreground", "aria-current": "page" }}
          className={view}
          inactiveProps={{ className: "text-muted-foreground hover:text-foreground" }}
          key={to}
          search={{}}
          to={to}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

interface ExportLinkProps {
  href: string;
  format: "csv" | "ndjson";
  label: string;
}

function ExportLink({ href, format, label }: ExportLinkProps) {
  return (
    <a
      aria-label={`Export as ${label}`}
      className={`${buttonShape} border-input bg-card text-foreground hover:bg-muted`}
      data-testid={`export-${format}`}
      download
      href={href}
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
            The chain is broken{status.brokenAt ? ` at ${status.brokenAt}` : ""}. The log was changed or is incomplete.
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
        {status.archivedEntries ? `, those up to ${status.archivedEntries.toLocaleString("en")} removed` : ""}
      </span>
      {status.waitingSeconds > 60 && (
        <Badge tone="warning">entries are not chained yet; check that a worker is running</Badge>
      )}
      {status.head && (
        <code className="max-w-full truncate font-mono text-xs" title={`The end of the chain: ${status.head}`}>
          {status.head.slice(0, 28)}…
        </code>
      )}
    </div>
  );
}
