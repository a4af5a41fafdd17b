import type { ReactNode } from "react";
import type { ScriptOutcome, ScriptPosition } from "../api/scripts";
import { Badge } from "../ui/Badge";
import { Button, Spinner } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { EmptyState, ErrorNotice } from "../ui/Notice";
import type { Place } from "./places";
import { duration, limitTexts, verdictOf } from "./problems";
import { useElapsed, type Run } from "./run";

interface OutcomeProps {
  place: Place;
  run: Run;
  onCancel: () => void;
  onGoTo: (position: ScriptPosition) => void;
}

/** What came of the last run. */
export function Outcome({ place, run, onCancel, onGoTo }: OutcomeProps) {
  switch (run.state) {
    case "idle":
      return <EmptyState title="No run yet">Run the script to see what it returns and writes.</EmptyState>;
    case "running":
      return <Running onCancel={onCancel} since={run.since} />;
    case "cancelled":
      return <EmptyState title="Cancelled">The run was given up. Nothing of it is kept.</EmptyState>;
    case "refused":
      return <ErrorNotice error={run.error} />;
    case "done":
      return <Finished onGoTo={onGoTo} outcome={run.outcome} place={place} />;
  }
}

function Running({ since, onCancel }: { since: number; onCancel: () => void }) {
  const elapsed = useElapsed(since);
  return (
    <div className="flex items-center gap-3 rounded-xl border bg-card px-4 py-3 text-sm" data-testid="script-running">
      <Spinner />
      <span role="status">Running</span>
      <span aria-hidden="true" className="text-muted-foreground tabular-nums">
        {(elapsed / 1_000).toFixed(1)} s
      </span>
      <Button className="ml-auto" data-testid="cancel-script" icon="stop" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}

interface FinishedProps {
  place: Place;
  outcome: ScriptOutcome;
  onGoTo: (position: ScriptPosition) => void;
}

function Finished({ place, outcome, onGoTo }: FinishedProps) {
  const verdict = verdictOf(outcome, place.area);
  const { logs } = outcome;
  const shell = place.language === "shell";
  return (
    <div className="flex flex-col gap-4" data-testid="script-outcome">
      <div className="flex flex-wrap items-center gap-2 text-sm" role="status">
        <Badge tone={verdict.tone}>{verdict.label}</Badge>
        <span className="tabular-nums">{duration(outcome.durationMs)}</span>
        {outcome.exitCode === 0 && <span className="text-muted-foreground">exit code 0</span>}
        <span className="text-muted-foreground">network {outcome.networkAllowed ? "allowed" : "not allowed"}</span>
        {outcome.typesChecked && <span className="text-muted-foreground">types checked</span>}
      </div>
      {outcome.sandboxDowngraded && (
        <Warning>
          The sandbox is in fail-closed mode, because the script policy is missing or not valid: the script had no network and
          the tightest limits.
        </Warning>
      )}
      {outcome.limitsHit.map((limit) => (
        <Warning key={limit}>{limitTexts[limit] ?? `Limit hit: ${limit}.`}</Warning>
      ))}
      {outcome.warnings.map((warning) => (
        <Warning key={warning}>{sentence(warning)}</Warning>
      ))}
      {!shell && !outcome.typesChecked && outcome.typesReason && (
        <p className="text-sm text-muted-foreground">{outcome.typesReason}</p>
      )}
      {outcome.error && <Failure error={outcome.error} onGoTo={onGoTo} />}
      {outcome.result !== undefined && (
        <Output label="Result" testId="script-result">
          {JSON.stringify(outcome.result, null, 2)}
        </Output>
      )}
      {!shell && logs.length > 0 && (
        <section className="flex flex-col gap-1">
          <h3 className="text-sm font-medium">Log</h3>
          {/* Scrolls, so that a keyboard has to reach it. */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <ol aria-label="Log" className={`${block} list-none`} data-testid="script-logs" tabIndex={0}>
            {logs.map((line, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- lines never move
              <li className="flex gap-2" key={at}>
                <span className={`w-11 shrink-0 ${levels[line.level] ?? "text-muted-foreground"}`}>{line.level}</span>
                <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">{line.text}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
      {shell && outcome.stdout && (
        <Output label="Standard output" testId="script-stdout">
          {outcome.stdout}
        </Output>
      )}
      {shell && outcome.stderr && (
        <Output label="Standard error" testId="script-stderr">
          {outcome.stderr}
        </Output>
      )}
    </div>
  );
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return whole.endsWith(".") ? whole : `${whole}.`;
}

const block = "max-h-80 overflow-auto rounded-lg border bg-muted px-3 py-2 font-mono text-[0.8125rem]";

const levels: Record<string, string> = { error: "text-danger", warn: "text-warning", warning: "text-warning" };

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-start gap-2 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning">
      <Icon className="mt-0.5" name="alert" size={16} />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}

function Failure({ error, onGoTo }: { error: NonNullable<ScriptOutcome["error"]>; onGoTo: (position: ScriptPosition) => void }) {
  return (
    <div className="rounded-lg bg-danger-soft px-3 py-2 text-sm text-danger" data-testid="script-error">
      <p className="whitespace-pre-wrap wrap-anywhere">
        {error.name && <strong>{error.name}: </strong>}
        {error.message}
      </p>
      {error.stack.length > 0 && (
        <ul aria-label="Stack" className="mt-1 font-mono text-xs">
          {error.stack.map((frame, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- frames repeat in a recursion
            <li key={at}>
              <button
                className="py-0.5 text-left underline underline-offset-2"
                data-testid="script-frame"
                onClick={() => onGoTo(frame)}
                type="button"
              >
                {frame.function || "(script)"} at line {frame.line}, column {frame.column}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Output({ label, testId, children }: { label: string; testId: string; children: string }) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-sm font-medium">{label}</h3>
      {/* Scrolls, so that a keyboard has to reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre aria-label={label} className={`${block} whitespace-pre-wrap wrap-anywhere`} data-testid={testId} tabIndex={0}>
        {children}
      </pre>
    </section>
  );
}
