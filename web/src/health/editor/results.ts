import type { CollectorReport } from "../../api/health";

/** Results of collectors, by their ids. */
export function resultsOf(collectors: readonly CollectorReport[] | undefined): Map<string, Record<string, unknown>> {
  return new Map(
    (collectors ?? []).flatMap(({ id, result }): [string, Record<string, unknown>][] =>
      typeof result === "object" && result !== null ? [[id, result as Record<string, unknown>]] : [],
    ),
  );
}
