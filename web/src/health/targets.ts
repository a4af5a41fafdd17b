import type { HealthTarget } from "../api/health";

/** "Homepage in production". */
export const targetLabel = ({ checkName, environment }: HealthTarget) =>
  environment ? `${checkName} in ${environment.name}` : checkName;
