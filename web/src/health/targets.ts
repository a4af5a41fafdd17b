import type { HealthTarget, SystemHealth } from "../api/health";
import { fullTime } from "../ui/time";

/** "Homepage in production". */
export const targetLabel = ({ checkName, environment }: HealthTarget) =>
  environment ? `${checkName} in ${environment.name}` : checkName;

/** Describes a run for a question: check, system, and time. */
export function aboutRun({ systemName }: SystemHealth, { checkName, environment }: HealthTarget, at: string): string {
  const where = environment ? ` in ${environment.name}` : "";
  return `the run of the health check “${checkName}” on the system “${systemName}”${where} on ${fullTime(at)}`;
}
