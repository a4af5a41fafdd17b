import { diffArrays } from "diff";

export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/** Above this difference, texts are shown as replaced completely instead of line by line. */
const mostEdits = 1_000;

/** The difference of two texts by lines; removals come before additions. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const old = before.split("\n");
  const fresh = after.split("\n");
  const parts = diffArrays(old, fresh, { maxEditLength: mostEdits });
  if (!parts) return [...linesOf("removed", old), ...linesOf("added", fresh)];
  return parts.flatMap(({ removed, added, value }) => linesOf(removed ? "removed" : added ? "added" : "same", value));
}

function linesOf(kind: DiffLine["kind"], texts: string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}
