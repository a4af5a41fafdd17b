import type { DryRun } from "../../api/agents";
import type { ScriptPosition } from "../../api/scripts";
import { LogBlock, TextBlock } from "../../scripts/Blocks";
import { sentence } from "../../scripts/endings";
import { FrameLink } from "../../scripts/FrameLink";
import { foldFrames } from "../../scripts/frames";
import { duration } from "../../scripts/problems";
import { Badge } from "../../ui/Badge";
import { adviceOf, logText, outputCut, verdictOf } from "./answers";

interface RunAnswerProps {
  answer: DryRun;
  /** Live calls need approval. */
  asks: boolean;
  /** Leads to a place in the source; without it, places are named only. */
  onGoTo?: (position: ScriptPosition) => void;
}

/** How a call of a tool went. */
export function RunAnswer({ answer, asks, onGoTo }: RunAnswerProps) {
  const verdict = verdictOf(answer);
  const { ok, result, error, logs } = answer;
  const { frames, left } = foldFrames(error?.stack ?? []);
  const at = error?.line ? { line: error.line, column: error.column || 1 } : null;
  const earnest = inEarnest(asks, answer.would_ask.identity !== undefined);
  const advice = error ? adviceOf(error.code) : "";
  return (
    <div className="flex flex-col gap-3" data-ok={ok} data-testid="run-answer">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={verdict.tone}>{verdict.label}</Badge>
        <span className="text-muted-foreground tabular-nums">{duration(answer.duration_ms)}</span>
      </p>
      {answer.warnings.map((warning) => (
        <p className="text-sm text-warning wrap-anywhere" key={warning}>
          {warning}
        </p>
      ))}
      {error && (
        <div className="flex flex-col gap-1.5 rounded-lg bg-danger-soft px-3 py-2 text-sm" data-testid="run-error">
          <p className="whitespace-pre-wrap wrap-anywhere text-danger">{sentence(error.message)}</p>
          {at && frames.length === 0 && (
            <p className="font-mono text-xs text-danger">
              <FrameLink at={at} nameless={nameless} onGoTo={onGoTo} testId="run-frame" />
            </p>
          )}
          {frames.length > 0 && (
            <ul aria-label="Stack" className="font-mono text-xs text-danger">
              {frames.map(({ frame, times }, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- frames repeat in a recursion
                <li className="py-0.5" key={index}>
                  <FrameLink at={frame} name={frame.function} nameless={nameless} onGoTo={onGoTo} testId="run-frame" />
                  {times > 1 && ` ${times} times`}
                </li>
              ))}
              {left > 0 && <li className="py-0.5">and {left} more</li>}
            </ul>
          )}
          <p className="text-xs text-muted-foreground">
            Code <code className="font-mono">{error.code}</code>
            {error.detail && (
              <>
                , and <code className="font-mono">{error.detail}</code> in the words of the tool
              </>
            )}
            {advice && `. ${advice}`}
          </p>
        </div>
      )}
      {ok && (
        <TextBlock label="Result" testId="run-result">
          {JSON.stringify(result ?? null, null, 2)}
        </TextBlock>
      )}
      {earnest && <p className="text-xs text-muted-foreground">{earnest}</p>}
      {answer.limits_hit.includes("output") && <p className="text-sm text-warning">{outputCut}</p>}
      {logs.length > 0 && <LogBlock logs={logs.map((line) => ({ level: line.level, text: logText(line) }))} />}
    </div>
  );
}

/** Conditions of a live call; "" for none. */
function inEarnest(asks: boolean, person: boolean): string {
  if (asks && person) return "Live calls must come from a person and need approval.";
  if (asks) return "Live calls need approval.";
  return person ? "Live calls must come from a person." : "";
}

/** The engine's names for the body of a tool mean nothing to its author. */
const nameless = new Set(["anonymous", "default"]);
