import { holds, type Principal } from "../api/session";

/** The rules that open one of the administration pages each. */
export const administrationRules = {
  connections: "ai.connection.manage",
  users: "auth.users.manage",
  roles: "auth.roles.manage",
  applications: "auth.applications.manage",
  policies: "ai.policy.manage",
  audit: "ai.audit.read",
  retention: "ai.retention.manage",
  privacy: "ai.privacy.manage",
} as const;

export function administers(principal: Principal | undefined): boolean {
  return Object.values(administrationRules).some((rule) => holds(principal, rule));
}
