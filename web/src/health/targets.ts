import type { HealthTarget, SystemHealth } from "../api/health";
import { fullTime } from "../ui/time";

/** "Homepage in production". */
export const targetLabel = ({ checkName, environment }: HealthTarget) =>
  environment ? `${checkName} in ${environment.name}` : checkName;

/** A run as it is asked about: which check of which system, and when. */
export function aboutRun({ systemName }: SystemHealth, { checkName, environment }: HealthTarget, at: string): string {
  const where = environment ? ` in ${environment.name}` : "";
  return `the run of the health check “${checkName}” on the system “${systemName}”${where} on ${fullTime(at)}`;
}
