import { Link } from "@tanstack/react-router";
import type { HealthTarget, SystemHealth } from "../api/health";
import { buttonShape } from "../ui/Button";
import { Failing, FailureRow } from "./Failing";
import { failuresOf } from "./failures";
import { count, lasting } from "./format";
import { useHealthPermission } from "./permission";
import { RunNowButton } from "./RunNowButton";
import { fullTime } from "../ui/time";
import { StatusBadge } from "./StatusBadge";
import { targetLabel } from "./targets";

interface SystemFailingProps {
  system: SystemHealth;
  now: number;
  onRuns: (target: HealthTarget) => void;
}

/** Why a system is not healthy: each of its checks that fails, and what else makes it so. */
export function SystemFailing({ system, now, onRuns }: SystemFailingProps) {
  const { read, manage } = useHealthPermission();
  const failures = failuresOf(system.targets);
  const overrides = system.overrides ?? [];
  if (failures.length + overrides.length === 0) return null;
  return (
    <Failing status={system.status} title={titleOf(failures.length, system)}>
      {overrides.map(({ source, label, status, since, reason }) => (
        <li className="px-4 py-3" data-testid="failure" key={`${source} ${since}`}>
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium wrap-anywhere">{label}</span>
            <StatusBadge status={status} />
          </div>
          <p className="mt-0.5 wrap-anywhere">{reason}</p>
          <p className="mt-0.5 text-sm text-muted-foreground tabular-nums">
            For {lasting(now - Date.parse(since))}, since <time dateTime={since}>{fullTime(since)}</time>
          </p>
        </li>
      ))}
      {failures.map((target) => (
        <FailureRow
          actions={
            <>
              {manage && <RunNowButton system={system} target={target} />}
              <button
                aria-label={`Runs of ${targetLabel(target)}`}
                className={`${buttonShape} border-input bg-card hover:bg-muted`}
                onClick={() => onRuns(target)}
                type="button"
              >
                Runs
              </button>
            </>
          }
          failure={target}
          key={target.id}
          name={
            read ? (
              <Link className="hover:text-primary" params={{ checkId: target.checkId }} to="/health/checks/$checkId">
                {target.checkName}
              </Link>
            ) : (
              target.checkName
            )
          }
          now={now}
        />
      ))}
    </Failing>
  );
}

function titleOf(failing: number, { targets }: SystemHealth): string {
  if (failing === 0) return "What makes it so";
  const active = targets.filter(({ paused }) => !paused).length;
  return `${failing} of ${count(active, "check")} ${failing === 1 ? "does" : "do"} not pass`;
}
