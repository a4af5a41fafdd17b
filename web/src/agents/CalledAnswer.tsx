import { TextBlock } from "../scripts/Blocks";
import { sentence } from "../scripts/endings";
import { duration } from "../scripts/problems";
import { Badge } from "../ui/Badge";
import type { Called } from "./calledtool";
import { adviceOf, verdictOf } from "./studio/answers";

/** Result of an approved call of a custom tool. */
export default function CalledAnswer({ called }: { called: Called }) {
  const { ok, result, error, auth_required: auth, revision, duration_ms: ms } = called;
  const verdict = auth ? { label: "Not run", tone: "warning" as const } : verdictOf(called);
  return (
    <div className="flex flex-col gap-2 rounded-lg border p-3" data-ok={ok} data-testid="called-answer">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={verdict.tone}>{verdict.label}</Badge>
        <span className="text-muted-foreground tabular-nums">
          {auth ? `revision ${revision}` : `revision ${revision}, ${duration(ms)}`}
        </span>
      </p>
      {auth && <p className="text-sm wrap-anywhere">{auth.detail}</p>}
      {error && (
        <div className="flex flex-col gap-1 rounded-lg bg-danger-soft px-3 py-2 text-sm">
          <p className="whitespace-pre-wrap wrap-anywhere text-danger">{sentence(error.message)}</p>
          <p className="text-xs text-muted-foreground">
            Code <code className="font-mono">{error.code}</code>
            {error.line ? `, line ${error.line} of its source` : ""}
            {adviceOf(error.code) && `. ${adviceOf(error.code)}`}
          </p>
        </div>
      )}
      {ok && (
        <TextBlock label="Answer" testId="called-result">
          {JSON.stringify(result ?? null, null, 2)}
        </TextBlock>
      )}
    </div>
  );
}
