import type { Thresholds } from "../api/health";

/** Server's defaults of omitted thresholds. */
export const usual = {
  consecutive: { healthyAfter: 1, degradedAfter: 2, unhealthyAfter: 5 },
  window: { windowSize: 10, degradedAfter: 3, unhealthyAfter: 7 },
  unknown: { unknownAfter: 3 },
  flaps: { flapChanges: 4, flapMinutes: 30 },
} as const;

/** From which runs a status comes, in one sentence. */
export function thresholdWords(thresholds: Thresholds | undefined): string {
  const given = thresholds ?? {};
  const flaps = unknownWords(given) + flapWords(given);
  if (given.mode === "window") {
    const { windowSize, degradedAfter, unhealthyAfter } = { ...usual.window, ...filled(given) };
    return `Of the last ${windowSize} runs, ${degradedAfter} failed make it degraded and ${unhealthyAfter} unhealthy.${flaps}`;
  }
  const { healthyAfter, degradedAfter, unhealthyAfter } = { ...usual.consecutive, ...filled(given) };
  const again = healthyAfter === 1 ? "one that passes makes" : `${healthyAfter} that pass make`;
  return `${degradedAfter} failed runs in a row make it degraded, ${unhealthyAfter} unhealthy; ${again} it healthy again.${flaps}`;
}

/** Said where they are not as usual. */
function unknownWords(given: Thresholds): string {
  const { unknownAfter } = { ...usual.unknown, ...filled(given) };
  if (unknownAfter === usual.unknown.unknownAfter) return "";
  return unknownAfter === 1
    ? " One that cannot be made makes it unknown."
    : ` ${unknownAfter} in a row that cannot be made make it unknown.`;
}

function flapWords(given: Thresholds): string {
  if (given.flapChanges === -1) return " Flapping is not dampened.";
  if (!given.flapChanges && !given.flapMinutes) return "";
  const { flapChanges, flapMinutes } = { ...usual.flaps, ...filled(given) };
  return ` After ${flapChanges} changes within ${flapMinutes} minutes it stays at the worse status.`;
}

/** A value of 0 has its default. */
const filled = (thresholds: Thresholds): Thresholds =>
  Object.fromEntries(Object.entries(thresholds).filter(([, value]) => value !== undefined && value !== 0));
