import type { ScriptOutcome, ScriptPosition } from "../api/scripts";
import { Button, Spinner } from "../ui/Button";
import { EmptyState, ErrorNotice } from "../ui/Notice";
import { endingOf, errorText } from "./endings";
import type { Place } from "./places";
import { Report } from "./Report";
import { duration, verdictOf } from "./problems";
import { useElapsed, type Run } from "./run";

interface OutcomeProps {
  place: Place;
  run: Run;
  onCancel: () => void;
  onGoTo: (position: ScriptPosition) => void;
}

/** Outcome of the last run. */
export function Outcome({ place, run, onCancel, onGoTo }: OutcomeProps) {
  switch (run.state) {
    case "idle":
      return <EmptyState title="No run yet">Run the script to see what it returns and writes.</EmptyState>;
    case "running":
      return <Running onCancel={onCancel} since={run.since} />;
    case "cancelled":
      return (
        <EmptyState title="Cancelled">
          The script was stopped and its results discarded. Requests already sent are not undone.
        </EmptyState>
      );
    case "refused":
      return <ErrorNotice error={run.error} />;
    case "done":
      return <Report area={place.area} language={place.language} onGoTo={onGoTo} outcome={run.outcome} policyTold />;
  }
}

/** Announcement for screen readers when a run begins and ends; a refusal announces itself. */
export function announcement(run: Run, place: Place): string {
  switch (run.state) {
    case "running":
      return "The script is running.";
    case "cancelled":
      return "The run was cancelled.";
    case "done":
      return `${verdictOf(run.outcome, place.area).label}, ${duration(run.outcome.durationMs)}. ${reasonOf(run.outcome)}`.trim();
    default:
      return "";
  }
}

function reasonOf(outcome: ScriptOutcome): string {
  const ending = endingOf(outcome);
  if (!ending || !outcome.error) return "";
  const { name, message } = errorText(ending, outcome.error);
  return name ? `${name}: ${message}` : message;
}

function Running({ since, onCancel }: { since: number; onCancel: () => void }) {
  const elapsed = useElapsed(since);
  return (
    <div className="flex items-center gap-3 rounded-xl border bg-card px-4 py-3 text-sm" data-testid="script-running">
      <Spinner />
      <span>Running</span>
      <span aria-hidden="true" className="text-muted-foreground tabular-nums">
        {(elapsed / 1_000).toFixed(1)} s
      </span>
      <Button className="ml-auto" data-testid="cancel-script" icon="stop" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
