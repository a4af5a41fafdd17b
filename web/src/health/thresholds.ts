import type { Thresholds } from "../api/health";

/** What the server takes for what is left out. */
export const usual = {
  consecutive: { healthyAfter: 1, degradedAfter: 2, unhealthyAfter: 5 },
  window: { windowSize: 10, degradedAfter: 3, unhealthyAfter: 7 },
} as const;

/** From which runs a status comes, in one sentence. */
export function thresholdWords(thresholds: Thresholds | undefined): string {
  const given = thresholds ?? {};
  const flaps = given.flapChanges === -1 ? " Changes are never held back." : "";
  if (given.mode === "window") {
    const { windowSize, degradedAfter, unhealthyAfter } = { ...usual.window, ...filled(given) };
    return `Of the last ${windowSize} runs, ${degradedAfter} failed make it degraded and ${unhealthyAfter} unhealthy.${flaps}`;
  }
  const { healthyAfter, degradedAfter, unhealthyAfter } = { ...usual.consecutive, ...filled(given) };
  const again = healthyAfter === 1 ? "one that passes makes" : `${healthyAfter} that pass make`;
  return `${degradedAfter} failed runs in a row make it degraded, ${unhealthyAfter} unhealthy; ${again} it healthy again.${flaps}`;
}

/** What is 0 has its default. */
const filled = (thresholds: Thresholds): Thresholds =>
  Object.fromEntries(Object.entries(thresholds).filter(([, value]) => value !== undefined && value !== 0));
