import { holds, type Principal } from "../api/session";

/** The rules that open one of the administration pages each. */
export const administrationRules = {
  connections: "ai.connection.manage",
  users: "auth.users.manage",
  roles: "auth.roles.manage",
  applications: "auth.applications.manage",
  programs: "oauth.program.manage",
  trust: "mcp.policy.manage",
  servers: "mcp.server.manage",
  seenServers: "mcp.server.read",
  policies: "ai.policy.manage",
  secrets: "vault.secret.manage",
  secretNames: "vault.secret.read",
  scriptPolicy: "script.policy.manage",
  audit: "ai.audit.read",
  turns: "ai.turn.read",
  retention: "ai.retention.manage",
  privacy: "ai.privacy.manage",
  history: "healthcheck.history.manage",
  events: "event.consumer.manage",
} as const;

/** The administration pages in the order of their tabs, each with the rules of which one opens it. */
export const administrationPages = [
  { to: "/admin/connections", label: "Connections", rules: [administrationRules.connections] },
  { to: "/admin/users", label: "Users", rules: [administrationRules.users] },
  { to: "/admin/roles", label: "Roles", rules: [administrationRules.roles] },
  { to: "/admin/applications", label: "Applications", rules: [administrationRules.applications] },
  { to: "/admin/programs", label: "Connected programs", rules: [administrationRules.programs] },
  {
    to: "/admin/mcp-servers",
    label: "MCP servers",
    rules: [administrationRules.seenServers, administrationRules.servers],
  },
  { to: "/admin/policies", label: "Tool policies", rules: [administrationRules.policies] },
  { to: "/admin/secrets", label: "Secrets", rules: [administrationRules.secretNames] },
  { to: "/admin/script-policy", label: "Script policy", rules: [administrationRules.scriptPolicy] },
  { to: "/admin/audit", label: "Audit log", rules: [administrationRules.audit] },
  { to: "/admin/turns", label: "Turns", rules: [administrationRules.turns] },
  { to: "/admin/spend", label: "Spend", rules: [administrationRules.turns] },
  { to: "/admin/privacy", label: "Privacy", rules: [administrationRules.retention, administrationRules.privacy] },
  { to: "/admin/operations", label: "Operations", rules: [administrationRules.history, administrationRules.events] },
] as const;

/** Those of the pages that a person may open. */
export function pagesOf(principal: Principal | undefined) {
  return administrationPages.filter((page) => page.rules.some((rule) => holds(principal, rule)));
}

export function administers(principal: Principal | undefined): boolean {
  return pagesOf(principal).length > 0;
}
