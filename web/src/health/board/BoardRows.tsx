import { Link } from "@tanstack/react-router";
import type { BoardRow } from "../../api/health";
import { Icon } from "../../ui/Icon";
import { Skeleton } from "../../ui/Notice";
import { usePhone } from "../../ui/phone";
import { fullTime } from "../../ui/time";
import { Days } from "../Days";
import { count, lasting } from "../format";
import { Sparkline } from "../Sparkline";
import { statuses } from "../status";
import { statusWords } from "../statuswords";
import { StatusBadge } from "../StatusBadge";
import { usePast } from "./past";
import type { Section } from "./sections";

/** A line at the side, which repeats the status for a look from afar. */
const edges = {
  unhealthy: "border-l-danger",
  degraded: "border-l-warning",
  unknown: "border-l-muted-foreground",
  "partly-unknown": "border-l-muted-foreground",
  healthy: "border-l-transparent",
} as const;

interface SystemRowProps {
  row: BoardRow;
  now: number;
  /** It no longer fits the filters, and keeps its place while the order of the list is held. */
  left?: boolean;
}

export function SystemRow({ row, now, left = false }: SystemRowProps) {
  const phone = usePhone();
  const bad = row.status !== "healthy" && !left;
  return (
    <div
      className={
        "relative grid items-center gap-x-4 border-l-4 py-2.5 pr-4 pl-3 hover:bg-muted/60 " +
        `md:grid-cols-[minmax(0,1fr)_15rem_9.5rem] ${left ? "border-l-transparent opacity-70" : edges[row.status]}`
      }
      data-status={left ? undefined : row.status}
      data-testid="board-row"
    >
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            className="min-w-0 rounded-sm font-medium wrap-anywhere after:absolute after:inset-0 hover:text-primary"
            data-row-link
            params={{ systemId: row.systemId }}
            search={{}}
            to="/health/systems/$systemId"
          >
            {row.systemName}
          </Link>
          {!left && <StatusBadge status={row.status} />}
          {row.since && bad && row.status !== "unknown" && (
            <time
              className="text-xs whitespace-nowrap text-muted-foreground tabular-nums"
              dateTime={row.since}
              title={fullTime(row.since)}
            >
              for {lasting(now - Date.parse(row.since))}
            </time>
          )}
        </div>
        <p className={`line-clamp-2 text-sm wrap-anywhere ${bad ? "" : "text-muted-foreground"}`}>
          {left
            ? "No longer in this selection."
            : (bad && row.reason) || (row.checks === 0 ? "No checks." : count(row.checks, "check"))}
        </p>
      </div>
      {!phone && <Past row={row} />}
    </div>
  );
}

function Past({ row }: { row: BoardRow }) {
  const past = usePast(row.systemId);
  return (
    <>
      {/* Above the link that covers the row: what a day was like is said while the pointer is on it. */}
      <div className="relative min-h-10 min-w-0">
        {past ? <Days days={past.days} name={row.systemName} /> : <Skeleton className="h-6 w-full" />}
      </div>
      <div>{past && <Sparkline label={`Latency of ${row.systemName} over 24 hours`} values={past.latency} />}</div>
    </>
  );
}

/** The heading of a section opens and closes it. */
export function SectionRow({ section, onToggle }: { section: Section; onToggle: () => void }) {
  const parts = statuses.filter((status) => section.counts[status]);
  return (
    <h2 className="bg-muted/60">
      <button
        aria-expanded={!section.collapsed}
        className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-left text-sm font-semibold hover:bg-muted"
        data-row-link
        data-testid="board-section"
        onClick={onToggle}
        type="button"
      >
        <Icon className={section.collapsed ? "" : "rotate-90"} name="chevron" size={14} />
        <span className="min-w-0 wrap-anywhere">{section.title}</span>
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 font-normal text-muted-foreground tabular-nums">
          {parts.map((status) => (
            <span className="inline-flex items-center gap-1" key={status}>
              <span className={statusWords[status].text}>
                <Icon name={statusWords[status].icon} size={14} />
              </span>
              {section.counts[status]} {statusWords[status].label.toLowerCase()}
            </span>
          ))}
        </span>
      </button>
    </h2>
  );
}
