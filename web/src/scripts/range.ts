import type { ScriptPosition } from "../api/scripts";

/** A part of a text: lines and columns count from 1, the end is exclusive. */
export interface Range extends ScriptPosition {
  endLine: number;
  endColumn: number;
}

/** The lines of a source, as compilers count them. */
export const linesOf = (source: string) => source.split(/\r\n|\r|\n/);

/**
 * Range of a finding, within the bounds of a text, and never less than one character. Without an end it is the word
 * there.
 */
export function rangeIn(lines: readonly string[], from: ScriptPosition, to?: ScriptPosition): Range {
  const { line, column } = within(lines, from);
  if (!to) {
    const word = /^[\w$]+/.exec(lines[line - 1]?.slice(column - 1) ?? "");
    return { line, column, endLine: line, endColumn: column + (word?.[0].length ?? 1) };
  }
  const end = within(lines, to);
  const backwards = end.line < line || (end.line === line && end.column <= column);
  return backwards
    ? { line, column, endLine: line, endColumn: column + 1 }
    : { line, column, endLine: end.line, endColumn: end.column };
}

function within(lines: readonly string[], { line, column }: ScriptPosition): ScriptPosition {
  const bounded = Math.min(Math.max(1, line), lines.length);
  return { line: bounded, column: Math.min(Math.max(1, column), (lines[bounded - 1]?.length ?? 0) + 1) };
}
