import type { ImportPreview } from "../../api/health";

type SourceSecret = NonNullable<ImportPreview["conversion"]>["secrets"][number];

/** Value of a secret in the text it was found in; "" for one that is not there as it is. The server never sends it. */
export function valueIn(source: string, { line, column, length }: SourceSecret): string {
  return (source.split("\n")[line - 1] ?? "").slice(column, column + length);
}

/** Start and end of a line in a text. */
export function rangeOf(source: string, line: number): [number, number] {
  const lines = source.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  return [start, start + (lines[line - 1] ?? "").length];
}
