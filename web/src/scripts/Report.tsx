import type { ReactNode } from "react";
import type { ScriptArea, ScriptOutcome, ScriptPosition } from "../api/scripts";
import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { LogBlock, TextBlock } from "./Blocks";
import { endingOf, endings, errorText, outputCut, sentence, type Ending } from "./endings";
import { FrameLink } from "./FrameLink";
import { foldFrames } from "./frames";
import type { Language } from "./highlight";
import { duration, verdictOf } from "./problems";

interface ReportProps {
  area: ScriptArea;
  language: Language;
  outcome: ScriptOutcome;
  /** Leads to a place in the script; without it, places are named only. */
  onGoTo?: (position: ScriptPosition) => void;
  /** The page itself says when the policy cannot be used. */
  policyTold?: boolean;
}

/** How a run went: the verdict, why, and everything that the script has returned and written. */
export function Report({ area, language, outcome, onGoTo, policyTold = false }: ReportProps) {
  const ending = endingOf(outcome);
  const shell = language === "shell";
  return (
    <div className="flex flex-col gap-4" data-testid="script-outcome">
      <Verdict area={area} language={language} outcome={outcome} />
      {outcome.sandboxDowngraded && !policyTold && <FailClosed />}
      {ending && (
        <Failure ending={ending} error={outcome.error} onGoTo={onGoTo}>
          {outcome.error &&
            area === "healthcheck" &&
            !shell &&
            "In production this counts as a failed check, with this message."}
        </Failure>
      )}
      {outcome.limitsHit.includes("output") && <Warning>{outputCut}</Warning>}
      {outcome.warnings.map((warning) => (
        <Warning key={warning}>{sentence(warning)}</Warning>
      ))}
      {!shell && !outcome.typesChecked && outcome.typesReason && (
        <p className="text-sm text-muted-foreground">{outcome.typesReason}</p>
      )}
      {outcome.result !== undefined && !outcome.error && (
        <TextBlock label="Result" testId="script-result">
          {JSON.stringify(outcome.result, null, 2)}
        </TextBlock>
      )}
      {!shell && outcome.logs.length > 0 && <LogBlock logs={outcome.logs} />}
      {shell && outcome.stdout && (
        <TextBlock label="Standard output" testId="script-stdout">
          {outcome.stdout}
        </TextBlock>
      )}
      {shell && outcome.stderr && (
        <TextBlock label="Standard error" testId="script-stderr">
          {outcome.stderr}
        </TextBlock>
      )}
    </div>
  );
}

/** The few words about a run. */
export function Verdict({ area, language, outcome }: { area: ScriptArea; language: Language; outcome: ScriptOutcome }) {
  const verdict = verdictOf(outcome, area);
  const facts = [
    duration(outcome.durationMs),
    outcome.exitCode === 0 && "exit code 0",
    outcome.networkAllowed ? "with network" : "no network",
    language === "typescript" && (outcome.typesChecked ? "types checked" : "types not checked"),
  ].filter((fact) => fact !== false);
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <Badge tone={verdict.tone}>{verdict.label}</Badge>
      <span className="text-muted-foreground tabular-nums">{facts.join(" · ")}</span>
    </div>
  );
}

/** Says that the policy cannot be used. Shown with a run, and on the page as long as it is known. */
export function FailClosed({ children }: { children?: ReactNode }) {
  return (
    <div
      className="flex items-start gap-2 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning"
      data-testid="fail-closed"
    >
      <Icon className="mt-0.5" name="alert" size={16} />
      <p className="min-w-0">
        <strong>Fail-closed: the script policy is missing or cannot be read.</strong> Until an administrator saves one,
        scripts have no network and the strictest limits. {children}
      </p>
    </div>
  );
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-start gap-2 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning">
      <Icon className="mt-0.5" name="alert" size={16} />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}

interface FailureProps {
  ending: Ending;
  error: ScriptOutcome["error"];
  onGoTo?: (position: ScriptPosition) => void;
  children?: ReactNode;
}

function Failure({ ending, error, onGoTo, children }: FailureProps) {
  const { name, message } = error ? errorText(ending, error) : { name: "", message: "" };
  const { frames, left } = foldFrames(error?.stack ?? []);
  return (
    <div className="flex flex-col gap-1.5 rounded-lg bg-danger-soft px-3 py-2 text-sm" data-testid="script-error">
      {error && (
        <p className="whitespace-pre-wrap wrap-anywhere text-danger">
          {name && <strong>{name}: </strong>}
          {message}
        </p>
      )}
      {frames.length > 0 && (
        <ul aria-label="Stack" className="font-mono text-xs text-danger">
          {frames.map(({ frame, times }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- frames repeat in a recursion
            <li className="py-0.5" key={at}>
              <FrameLink at={frame} name={frame.function} nameless={nameless} onGoTo={onGoTo} testId="script-frame" />
              {times > 1 && ` ${times} times`}
            </li>
          ))}
          {left > 0 && <li className="py-0.5">and {left} more</li>}
        </ul>
      )}
      {ending !== "thrown" && <p data-testid="script-advice">{endings[ending].advice}</p>}
      {children && <p>{children}</p>}
    </div>
  );
}

/** The engine's names for the body of a script mean nothing to its author. */
const nameless = new Set(["anonymous", "default", "script_default"]);
