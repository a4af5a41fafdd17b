import { Link } from "@tanstack/react-router";
import type { HealthTarget, SystemHealth } from "../api/health";
import { Badge } from "../ui/Badge";
import { IconButton } from "../ui/IconButton";
import { timeAgo } from "../ui/time";
import { availability, duration, interval } from "./format";
import { formerName } from "./locations";
import { useHealthPermission } from "./permission";
import { RunNowButton } from "./RunNowButton";
import { StatusBadge } from "./StatusBadge";

interface TargetRowProps {
  system: SystemHealth;
  target: HealthTarget;
  now: number;
  /** Id of the target or location whose chart and runs are shown. */
  chosen: number | undefined;
  onChoose: (id: number) => void;
}

const locationShape =
  "flex w-full flex-wrap items-center gap-x-2 gap-y-1 rounded px-2 py-1 text-left text-sm hover:bg-muted";

/** A check of the system, in one environment. */
export function TargetRow({ system, target, now, chosen: id, onChoose }: TargetRowProps) {
  const chosen = id === target.id;
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
            onClick={() => onChoose(target.id)}
          />
        </div>
      </div>
      {target.locations && target.locations.length > 0 && (
        <ul aria-label={`Locations of ${target.checkName}`} className="mt-2 flex flex-col gap-1 border-l-2 pl-3">
          {target.locations.map((location) => (
            <li data-status={location.status} data-testid="location" key={location.id}>
              <button
                aria-pressed={id === location.id}
                className={`${locationShape} ${id === location.id ? "bg-primary-soft" : ""}`}
                onClick={() => onChoose(location.id)}
                title={`Chart and runs from ${location.name}`}
                type="button"
              >
                <span className="font-medium">{location.name}</span>
                <StatusBadge status={location.status} />
                <span className="ml-auto text-xs text-muted-foreground tabular-nums">
                  {location.lastRun ? `Last run ${timeAgo(location.lastRun, now)}` : "No run yet"}, p95{" "}
                  {duration(location.p95)}
                </span>
                {location.reason && location.status !== "healthy" && (
                  <span className="w-full text-muted-foreground wrap-anywhere">{location.reason}</span>
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
      {target.formerLocations && target.formerLocations.length > 0 && (
        <ul aria-label={`Former locations of ${target.checkName}`} className="mt-1 flex flex-col gap-1 border-l-2 pl-3">
          {target.formerLocations.map((location) => (
            <li data-testid="former-location" key={location.id}>
              <button
                aria-pressed={id === location.id}
                className={`${locationShape} text-muted-foreground ${id === location.id ? "bg-primary-soft" : ""}`}
                onClick={() => onChoose(location.id)}
                title={`Chart and past runs from ${location.name}`}
                type="button"
              >
                <span className="font-medium">{formerName(location)}</span>
                <span className="ml-auto text-xs tabular-nums">Ran until {timeAgo(location.until, now)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
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
