import { Link } from "@tanstack/react-router";
import type { HealthTarget, SystemHealth } from "../api/health";
import { Badge } from "../ui/Badge";
import { IconButton } from "../ui/IconButton";
import { timeAgo } from "../ui/time";
import { availability, duration, interval } from "./format";
import { useHealthPermission } from "./permission";
import { RunNowButton } from "./RunNowButton";
import { StatusBadge } from "./StatusBadge";

interface TargetRowProps {
  system: SystemHealth;
  target: HealthTarget;
  now: number;
  /** Its chart and its runs are shown. */
  chosen: boolean;
  onChoose: () => void;
}

/** A check of the system, in one environment. */
export function TargetRow({ system, target, now, chosen, onChoose }: TargetRowProps) {
  const { read, manage } = useHealthPermission();
  return (
    <div className={`px-4 py-3 ${chosen ? "bg-primary-soft/50" : ""}`} data-status={target.status} data-testid="target">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-52">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {read ? (
              <Link
                className="font-medium wrap-anywhere hover:text-primary"
                params={{ checkId: target.checkId }}
                to="/health/checks/$checkId"
              >
                {target.checkName}
              </Link>
            ) : (
              <span className="font-medium wrap-anywhere">{target.checkName}</span>
            )}
            <StatusBadge status={target.status} />
            {target.environment && <Badge>{target.environment.name}</Badge>}
            {target.paused && <Badge tone="warning">Paused</Badge>}
          </div>
          {target.reason && <p className="text-sm text-muted-foreground wrap-anywhere">{target.reason}</p>}
          <p className="text-xs text-muted-foreground tabular-nums">
            {target.lastRun ? `Last run ${timeAgo(target.lastRun, now)}` : "No run yet"}, every{" "}
            {interval(target.intervalSeconds)}
          </p>
        </div>
        <dl className="flex flex-wrap gap-x-4 gap-y-1 text-sm tabular-nums">
          <Figure label="24 h" value={availability(target.availability24h)} />
          <Figure label="p50" value={duration(target.p50)} />
          <Figure label="p95" value={duration(target.p95)} />
        </dl>
        <div className="flex items-center">
          {manage && <RunNowButton system={system} target={target} />}
          <IconButton
            aria-pressed={chosen}
            className={chosen ? "bg-primary-soft text-primary" : ""}
            icon="health"
            label={`Chart and runs of ${target.checkName}${target.environment ? ` in ${target.environment.name}` : ""}`}
            onClick={onChoose}
          />
        </div>
      </div>
    </div>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-muted-foreground">{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
