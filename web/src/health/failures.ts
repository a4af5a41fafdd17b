import type { HealthTarget } from "../api/health";
import { statuses } from "./status";

/** Whether a target that runs does not pass, or its runs cannot be made. */
const fails = ({ status, reason, paused }: HealthTarget) =>
  !paused && status !== "healthy" && (status !== "unknown" || Boolean(reason));

/** The targets with something to say first: the worst first, and of these what has failed longest. */
export function failuresOf(targets: readonly HealthTarget[]): HealthTarget[] {
  return targets
    .filter(fails)
    .toSorted(
      (a, b) =>
        statuses.indexOf(a.status) - statuses.indexOf(b.status) ||
        Date.parse(a.since ?? "") - Date.parse(b.since ?? "") ||
        a.checkName.localeCompare(b.checkName),
    );
}
