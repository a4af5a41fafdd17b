import type { ToolDiagnostic } from "../../api/agents";
import { mergeProblems, within, type Problem } from "../../scripts/problems";

/** Those about the schema of the arguments, which is no part of the source. */
export const isAboutSchema = ({ code, line }: ToolDiagnostic) => code.startsWith("args_schema") && line < 1;

/** What the server has found in the source, at its place, with what to do instead. */
export function problemsOf(diagnostics: readonly ToolDiagnostic[], source: string): Problem[] {
  const lines = source.split(/\r\n|\r|\n/);
  return diagnostics
    .filter((diagnostic) => !isAboutSchema(diagnostic))
    .map((found) => {
      const { line, column } = within(lines, found);
      const end = within(lines, { line: found.end_line, column: found.end_column });
      const backwards = end.line < line || (end.line === line && end.column <= column);
      return {
        line,
        column,
        endLine: backwards ? line : end.line,
        endColumn: backwards ? column + 1 : end.column,
        message: found.message,
        hint: found.hint || undefined,
        code: found.code,
        severity: found.severity,
        source: "server",
      };
    });
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
