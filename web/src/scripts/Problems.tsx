import type { ScriptPosition } from "../api/scripts";
import { Badge } from "../ui/Badge";
import type { Problem, Severity } from "./problems";

const tones: Record<Severity, "danger" | "warning" | "neutral"> = {
  error: "danger",
  warning: "warning",
  info: "neutral",
};

interface ProblemsProps {
  problems: readonly Problem[];
  onGoTo: (position: ScriptPosition) => void;
}

/** Problems of the script; each entry leads to its place. */
export function Problems({ problems, onGoTo }: ProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <section aria-label="Problems" className="rounded-xl border bg-card" data-testid="script-problems">
      <h2 className="border-b px-4 py-2 text-sm font-semibold">
        Problems <span className="font-normal text-muted-foreground">({problems.length})</span>
      </h2>
      <ul className="max-h-56 overflow-y-auto py-1">
        {problems.map((problem) => (
          <li key={`${problem.line}:${problem.column}:${problem.code}:${problem.message}`}>
            <button
              className="flex w-full flex-wrap items-start gap-x-2 gap-y-1 px-4 py-1.5 text-left text-sm hover:bg-muted sm:flex-nowrap"
              data-testid="script-problem"
              onClick={() => onGoTo(problem)}
              type="button"
            >
              <Badge tone={tones[problem.severity]}>{problem.severity}</Badge>
              <span className="order-last w-full min-w-0 whitespace-pre-line wrap-anywhere sm:order-none sm:w-auto sm:flex-1">
                {problem.message}
                {problem.hint && <span className="block text-muted-foreground">{problem.hint}</span>}
              </span>
              <span className="shrink-0 font-mono text-xs leading-5 text-muted-foreground">
                {problem.code && `${problem.code} · `}
                <span className="sr-only">line </span>
                {problem.line}:{problem.column}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
