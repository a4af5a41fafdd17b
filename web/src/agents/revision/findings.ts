import type { Finding, Verdict } from "../../api/agents";
import { Problem } from "../../api/problem";

/** The tool that a finding is about, to lead there. */
export function toolOf({ pointer }: Pick<Finding, "pointer">): string | undefined {
  const [, first, second] = pointer.split("/");
  return first === "tools" ? second : undefined;
}

/** Whether a freeze ran out of time, so that the next one continues. */
export const isUnfinished = (error: unknown): boolean =>
  error instanceof Problem && (error.document as { error?: string }).error === "freeze_unfinished";

/** Why a revision was not frozen, out of the refusal; null when it is another one. */
export function reportOf(error: unknown): Verdict | null {
  if (!(error instanceof Problem)) return null;
  const { report } = error.document as { report?: Verdict };
  return report && Array.isArray(report.errors) ? report : null;
}
