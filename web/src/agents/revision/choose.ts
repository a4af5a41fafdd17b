import type { AgentRevision } from "../../api/agents";

/** Revision that a page shows: the requested one, else the one its reader most likely wants. */
export function chooseRevision(
  revisions: readonly AgentRevision[],
  wanted: number | undefined,
  writes: boolean,
): AgentRevision | undefined {
  const asked = revisions.find(({ number }) => number === wanted);
  if (asked) return asked;
  const newestFirst = revisions.toSorted((a, b) => b.number - a.number);
  const draft = writes ? newestFirst.find(({ state }) => state === "draft") : undefined;
  return draft ?? newestFirst.find(({ state }) => state === "live") ?? newestFirst[0];
}
