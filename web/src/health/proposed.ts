import type { NewCheck } from "../api/health";

/** A check in the payload of a proposal. */
export type ProposedCheck = NewCheck;

/** Whether a payload is a whole check. It comes from a model by way of the server, which has validated it. */
export function isProposedCheck(payload: unknown): payload is ProposedCheck {
  if (typeof payload !== "object" || payload === null) return false;
  const check = payload as Record<string, unknown>;
  return (
    typeof check.name === "string" &&
    typeof check.strategyId === "string" &&
    typeof check.intervalSeconds === "number" &&
    Array.isArray(check.collectors) &&
    check.collectors.every(isCollector)
  );
}

function isCollector(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { collectorId, assertions } = value as Record<string, unknown>;
  return (
    typeof collectorId === "string" && (assertions === undefined || assertions === null || Array.isArray(assertions))
  );
}
