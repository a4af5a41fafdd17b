import type { ListedAutomation, RunStatus, StepStatus } from "../api/automations";
import { Badge } from "../ui/Badge";
import { runLabels, runsInWords, runTones, stepLabels, stepTones } from "./words";

export function AutomationStatusBadge({ status }: { status: ListedAutomation["status"] }) {
  return (
    <span data-status={status} data-testid="automation-status">
      {status === "enabled" ? <Badge tone="primary">Enabled</Badge> : <Badge>Disabled</Badge>}
    </span>
  );
}

export function RunStatusBadge({ status, cancelling = false }: { status: RunStatus; cancelling?: boolean }) {
  return (
    <span data-status={status} data-testid="run-status">
      <Badge tone={cancelling ? "warning" : runTones[status]}>{cancelling ? "Cancelling" : runLabels[status]}</Badge>
    </span>
  );
}

export function StepStatusBadge({ status }: { status: StepStatus }) {
  return <Badge tone={stepTones[status]}>{stepLabels[status]}</Badge>;
}

/** Marks differ in height, too: not everybody sees their colours. */
const marks: Record<RunStatus, string> = {
  queued: "h-2 bg-muted-foreground/40",
  pending: "h-3 bg-primary",
  running: "h-3 bg-primary",
  success: "h-5 bg-success",
  failed: "h-4 bg-danger",
  cancelled: "h-2 bg-warning",
  skipped: "h-1 bg-muted-foreground/60",
};

/** The last runs as marks, the newest at the end. */
export function RunMarks({ runs }: { runs: ListedAutomation["lastRuns"] }) {
  const words = runsInWords(runs);
  if (runs.length === 0) return <span className="text-xs text-muted-foreground">{words}</span>;
  return (
    <span aria-label={words} className="inline-flex h-5 items-end gap-0.5" data-testid="run-marks" role="img">
      {runs.toReversed().map(({ id, status }) => (
        <span className={`w-1.5 rounded-xs ${marks[status as RunStatus] ?? marks.queued}`} key={id} />
      ))}
    </span>
  );
}
