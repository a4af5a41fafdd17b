import type { ReactNode } from "react";
import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { fullTime, timeAgo } from "../ui/time";
import { interval, lasting } from "./format";
import type { Status } from "./status";
import { statusWords } from "./statuswords";
import { StatusBadge } from "./StatusBadge";

interface Failure {
  status: Status;
  since?: string;
  reason?: string;
  lastRun?: string;
  intervalSeconds: number;
  environment?: { name?: string };
}

const tones = {
  danger: { frame: "border-danger/40", head: "border-danger/25 bg-danger-soft text-danger" },
  warning: { frame: "border-warning/40", head: "border-warning/25 bg-warning-soft text-warning" },
  neutral: { frame: "", head: "bg-muted" },
};

interface FailingProps {
  title: string;
  /** Of the worst of them. */
  status: Status;
  children: ReactNode;
}

/** The first section of a page about failing checks, before anything that is drawn. */
export function Failing({ title, status, children }: FailingProps) {
  const { tone, icon } = statusWords[status];
  const { frame, head } = tones[tone === "danger" || tone === "warning" ? tone : "neutral"];
  return (
    <section
      aria-label={title}
      className={`min-w-0 overflow-hidden rounded-xl border bg-card shadow-raised ${frame}`}
      data-testid="failing"
    >
      <h2 className={`flex items-center gap-2 border-b px-4 py-2.5 text-sm font-semibold ${head}`}>
        <Icon name={icon} size={16} />
        {title}
      </h2>
      <ul className="divide-y">{children}</ul>
    </section>
  );
}

interface FailureRowProps {
  /** Name of the failing check or system, usually a link. */
  name: ReactNode;
  failure: Failure;
  now: number;
  actions?: ReactNode;
}

/** One thing that does not pass: its name, its sentence, since when, and how fresh that is. */
export function FailureRow({ name, failure, now, actions }: FailureRowProps) {
  const { status, since, reason, lastRun, environment } = failure;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3" data-status={status} data-testid="failure">
      <div className="min-w-0 flex-1 basis-52">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium wrap-anywhere" data-testid="failure-name">
            {name}
          </span>
          <StatusBadge status={status} />
          {environment?.name && <Badge>{environment.name}</Badge>}
        </div>
        <p className="mt-0.5 wrap-anywhere" data-testid="failure-reason">
          {reason || "No reason is known."}
        </p>
        <p className="mt-0.5 text-sm text-muted-foreground tabular-nums">
          {since && (
            <>
              For {lasting(now - Date.parse(since))}, since <time dateTime={since}>{fullTime(since)}</time> ·{" "}
            </>
          )}
          {lastRun ? `last run ${timeAgo(lastRun, now)}` : "no run yet"}, every {interval(failure.intervalSeconds)}
        </p>
      </div>
      {actions && <div className="flex items-center">{actions}</div>}
    </li>
  );
}
