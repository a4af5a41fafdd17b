import type { ScriptArea, ScriptDiagnostic, ScriptOutcome } from "../api/scripts";
import { endingOf, labelOf } from "./endings";
import { linesOf, rangeIn, type Range } from "./range";

export type Severity = "error" | "warning" | "info";

/** Something wrong at a place in the script. */
export interface Problem extends Range {
  message: string;
  /** Suggested fix. */
  hint?: string;
  code: string;
  severity: Severity;
  /** Origin of the problem: the editor while typing, or the server at the last run. */
  source: "editor" | "server";
}

/** Server's diagnostics of the script, within the bounds of its text. */
export function problemsOf(diagnostics: readonly ScriptDiagnostic[], source: string): Problem[] {
  const lines = linesOf(source);
  return diagnostics.map((diagnostic) => ({
    ...rangeIn(lines, diagnostic, { line: diagnostic.endLine, column: diagnostic.endColumn }),
    message: diagnostic.message,
    code: diagnostic.code ? `TS${diagnostic.code}` : diagnostic.rule,
    severity: diagnostic.severity,
    source: "server",
  }));
}

/** Where the script has thrown, unless the compiler has already named the place. */
export function thrownAt({ error, diagnostics }: ScriptOutcome, source: string): Problem | null {
  const [frame] = error?.stack ?? [];
  if (!error || !frame || diagnostics.some(({ line, column }) => line === frame.line && column === frame.column))
    return null;
  return {
    ...rangeIn(linesOf(source), frame),
    message: `${error.name}: ${error.message}`,
    code: "",
    severity: "error",
    source: "server",
  };
}

/** All problems in the order of the script, each once: the editor and the server use the same compiler rules. */
export function mergeProblems(editor: readonly Problem[], server: readonly Problem[]): Problem[] {
  const known = new Set(editor.map(identity));
  return [...editor, ...server.filter((problem) => !known.has(identity(problem)))].toSorted(
    (a, b) => a.line - b.line || a.column - b.column,
  );
}

export interface Verdict {
  tone: "success" | "danger" | "warning";
  label: string;
}

/** The one word about a run. */
export function verdictOf(outcome: ScriptOutcome, area: ScriptArea): Verdict {
  const ending = endingOf(outcome);
  if (ending) return { tone: "danger", label: labelOf(ending, outcome) };
  if (outcome.exitCode !== undefined && outcome.exitCode !== 0)
    return { tone: "danger", label: `Exit code ${outcome.exitCode}` };
  if (area === "healthcheck" && saysUnhealthy(outcome.result)) return { tone: "danger", label: "Unhealthy" };
  if (outcome.diagnostics.some(({ severity }) => severity === "error"))
    return { tone: "warning", label: "Finished with type errors" };
  return { tone: "success", label: "Finished" };
}

function saysUnhealthy(result: unknown): boolean {
  return typeof result === "object" && result !== null && "success" in result && result.success === false;
}

/** Milliseconds as people say them. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
}

function identity({ line, column, code, message }: Problem): string {
  return `${line}:${column}:${code || message}`;
}
