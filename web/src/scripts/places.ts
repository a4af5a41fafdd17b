import type { ScriptArea, ScriptContextId } from "../api/scripts";
import { holds, type Principal } from "../api/session";

/** A place where scripts run, as the playground offers it. */
export interface Place {
  id: ScriptContextId;
  label: string;
  area: ScriptArea;
  language: "typescript" | "shell";
  /** The configuration that a run is given; absent where scripts have none. */
  config?: unknown;
  /** Sample context, for a first try. */
  sample: unknown;
}

export const scriptRules: Record<ScriptArea, string> = {
  healthcheck: "healthcheck.healthcheck.manage",
  automation: "automation.automation.manage",
};

const check = {
  check: { id: "check-1", name: "Homepage answers", intervalSeconds: 60 },
  system: { id: "system-1", name: "Checkout" },
  environment: { id: "environment-1", name: "production", fields: { baseUrl: "https://status.example.com" } },
};

const action = {
  trigger: { event: "incident.created", payload: { id: "incident-1", title: "Checkout is slow" } },
  artifacts: {},
  var: {},
  automation: { runId: "run-1", automationId: "automation-1", contextKey: "incident-1" },
};

const config = { url: "https://status.example.com/health" };

export const places: Place[] = [
  {
    id: "healthcheck-script",
    label: "Health check, TypeScript",
    area: "healthcheck",
    language: "typescript",
    config,
    sample: check,
  },
  { id: "healthcheck-shell", label: "Health check, shell", area: "healthcheck", language: "shell", sample: check },
  {
    id: "automation-action-script",
    label: "Automation action, TypeScript",
    area: "automation",
    language: "typescript",
    sample: action,
  },
  {
    id: "automation-action-shell",
    label: "Automation action, shell",
    area: "automation",
    language: "shell",
    sample: action,
  },
];

/** Those of the places that a person may try scripts for. */
export function placesOf(principal: Principal | undefined): Place[] {
  return places.filter(({ area }) => holds(principal, scriptRules[area]));
}
