import type { DryRun, ToolDiagnostic } from "../../api/agents";
import { mergeProblems, type Problem } from "../../scripts/problems";
import { linesOf, rangeIn } from "../../scripts/range";

/** Those about the schema of the arguments, which is no part of the source. */
export const isAboutSchema = ({ code, line }: ToolDiagnostic) => code.startsWith("args_schema") && line < 1;

/** Issues that the server has found in the source, with their places and fixes. */
export function problemsOf(diagnostics: readonly ToolDiagnostic[], source: string): Problem[] {
  const lines = linesOf(source);
  return diagnostics
    .filter((diagnostic) => !isAboutSchema(diagnostic))
    .map((found) =>
      Object.assign(rangeIn(lines, found, { line: found.end_line, column: found.end_column }), {
        message: found.message,
        hint: found.hint || undefined,
        code: found.code,
        severity: found.severity,
        source: "server" as const,
      }),
    );
}

/** Where the last call has thrown. */
export function thrownAt(error: DryRun["error"], source: string): Problem[] {
  if (!error?.line) return [];
  return [
    {
      ...rangeIn(linesOf(source), { line: error.line, column: error.column ?? 1 }),
      message: `The last run ended here: ${error.message}`,
      code: error.code,
      severity: "warning",
      source: "server",
    },
  ];
}

/** All in the order of the source. The compiler of the editor and that of the server say the same: the server's word is kept. */
export function allProblems(editor: readonly Problem[], server: readonly Problem[]): Problem[] {
  const told = new Set(server.map(place));
  return mergeProblems(
    editor.filter((problem) => !told.has(place(problem))),
    server,
  );
}

const place = ({ line, column, message }: Problem) => `${line}:${column}:${message}`;
