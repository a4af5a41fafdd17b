import type { ScriptArea, ScriptDiagnostic, ScriptOutcome, ScriptPosition } from "../api/scripts";
import { endingOf, labelOf } from "./endings";

export type Severity = "error" | "warning" | "info";

/** Something wrong at a place in the script. */
export interface Problem extends ScriptPosition {
  endLine: number;
  endColumn: number;
  message: string;
  /** What to do instead. */
  hint?: string;
  code: string;
  severity: Severity;
  /** Who says so: the editor while typing, or the server at the last run. */
  source: "editor" | "server";
}

/** What the server says about the script, within the bounds of its text. */
export function problemsOf(diagnostics: readonly ScriptDiagnostic[], source: string): Problem[] {
  const lines = source.split(/\r\n|\r|\n/);
  return diagnostics.map((diagnostic) => {
    const { line, column } = within(lines, diagnostic);
    const end = within(lines, { line: diagnostic.endLine, column: diagnostic.endColumn });
    const backwards = end.line < line || (end.line === line && end.column <= column);
    return {
      line,
      column,
      endLine: backwards ? line : end.line,
      endColumn: backwards ? column + 1 : end.column,
      message: diagnostic.message,
      code: diagnostic.code ? `TS${diagnostic.code}` : diagnostic.rule,
      severity: diagnostic.severity,
      source: "server",
    };
  });
}

/** Where the script has thrown, unless the compiler has already named the place. */
export function thrownAt({ error, diagnostics }: ScriptOutcome, source: string): Problem | null {
  const [frame] = error?.stack ?? [];
  if (!error || !frame || diagnostics.some(({ line, column }) => line === frame.line && column === frame.column))
    return null;
  const { line, column } = within(source.split(/\r\n|\r|\n/), frame);
  const rest = source.split(/\r\n|\r|\n/)[line - 1]?.slice(column - 1) ?? "";
  const length = /^[\w$]+/.exec(rest)?.[0].length ?? 1;
  return {
    line,
    column,
    endLine: line,
    endColumn: column + length,
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

/** A place within the bounds of a text. */
export function within(lines: readonly string[], { line, column }: ScriptPosition): ScriptPosition {
  const bounded = Math.min(Math.max(1, line), lines.length);
  return { line: bounded, column: Math.min(Math.max(1, column), (lines[bounded - 1]?.length ?? 0) + 1) };
}
