import { createRoute } from "@tanstack/react-router";
import { auditFilter, type AuditFilter } from "../api/audit";
import { changeFilter, type ChangeFilter } from "../api/history";
import type { UserFilter, UserStatus } from "../api/people";
import type { Area } from "../area";
import { administrationRules } from "../shell/administration";
import { lazyLoader, lazyPage } from "../shell/lazypage";
import { adminRoute } from "../shell/root";
import { searchText } from "../shell/searchparams";

const loaders = () => import("./loaders");

const connectionsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "connections",
  loader: lazyLoader(loaders, "connections"),
  component: lazyPage(() => import("./ConnectionsPage"), "ConnectionsPage"),
});

const modelCheckRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "connections/$connectionId/check",
  validateSearch: (search): { check?: string; beside?: string } => ({
    check: searchText(search.check),
    beside: searchText(search.beside),
  }),
  loader: lazyLoader(loaders, "modelCheck"),
  component: lazyPage(() => import("./ModelCheckPage"), "ModelCheckPage"),
});

const userStatus = (value: unknown): UserStatus | undefined =>
  value === "active" || value === "invited" || value === "disabled" ? value : undefined;

const usersRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "users",
  validateSearch: (search): UserFilter => ({
    search: searchText(search.search),
    status: userStatus(search.status),
    role: searchText(search.role),
  }),
  loaderDeps: ({ search }) => search,
  loader: lazyLoader(loaders, "users"),
  component: lazyPage(() => import("./UsersPage"), "UsersPage"),
});

const rolesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "roles",
  loader: lazyLoader(loaders, "roles"),
  component: lazyPage(() => import("./RolesPage"), "RolesPage"),
});

const applicationsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "applications",
  loader: lazyLoader(loaders, "applications"),
  component: lazyPage(() => import("./ApplicationsPage"), "ApplicationsPage"),
});

const programsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "programs",
  loader: lazyLoader(loaders, "programs"),
  component: lazyPage(() => import("./ProgramsPage"), "ProgramsPage"),
});

const mcpServersRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "mcp-servers",
  loader: lazyLoader(loaders, "mcpServers"),
  component: lazyPage(() => import("./McpServersPage"), "McpServersPage"),
});

/** The address of the document as it was, before the router reads it: to it a long number is one with fewer digits. */
const arrived = { path: window.location.pathname, query: window.location.search };

const mcpSignInRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "mcp-servers/sign-in/$slug",
  // Query string of the redirect, unchanged.
  loader: ({ location }) => (location.pathname === arrived.path ? arrived.query : location.searchStr),
  component: lazyPage(() => import("./McpSignInPage"), "McpSignInPage"),
});

const policiesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "policies",
  loader: lazyLoader(loaders, "policies"),
  component: lazyPage(() => import("./PoliciesPage"), "PoliciesPage"),
});

const secretsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "secrets",
  loader: lazyLoader(loaders, "secrets"),
  component: lazyPage(() => import("./SecretsPage"), "SecretsPage"),
});

const scriptPolicyRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "script-policy",
  loader: lazyLoader(loaders, "scriptPolicy"),
  component: lazyPage(() => import("./ScriptPolicyPage"), "ScriptPolicyPage"),
});

const auditRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "audit",
  validateSearch: (search): AuditFilter & { call?: string } => ({
    ...auditFilter(search),
    call: searchText(search.call),
  }),
  loaderDeps: ({ search }) => auditFilter({ ...search }),
  loader: lazyLoader(loaders, "audit"),
  component: lazyPage(() => import("./AuditPage"), "AuditPage"),
});

const auditChangesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "audit/changes",
  validateSearch: (search): ChangeFilter => changeFilter(search),
  loaderDeps: ({ search }) => changeFilter({ ...search }),
  loader: lazyLoader(loaders, "auditChanges"),
  component: lazyPage(() => import("./AuditChangesPage"), "AuditChangesPage"),
});

const privacyRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "privacy",
  loader: lazyLoader(loaders, "privacy"),
  component: lazyPage(() => import("./PrivacyPage"), "PrivacyPage"),
});

const operationsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "operations",
  loader: lazyLoader(loaders, "operations"),
  component: lazyPage(() => import("./OperationsPage"), "OperationsPage"),
});

const adminRoutes = [
  connectionsRoute,
  modelCheckRoute,
  usersRoute,
  rolesRoute,
  applicationsRoute,
  programsRoute,
  mcpServersRoute,
  mcpSignInRoute,
  policiesRoute,
  secretsRoute,
  scriptPolicyRoute,
  auditRoute,
  auditChangesRoute,
  privacyRoute,
  operationsRoute,
] as const;

const rules = administrationRules;

export const adminArea: Area<[], typeof adminRoutes> = {
  routes: [],
  adminRoutes,
  administration: [
    { to: "/admin/connections", label: "Connections", rules: [rules.connections] },
    { to: "/admin/users", label: "Users", rules: [rules.users] },
    { to: "/admin/roles", label: "Roles", rules: [rules.roles] },
    { to: "/admin/applications", label: "Applications", rules: [rules.applications] },
    { to: "/admin/programs", label: "Connected programs", rules: [rules.programs] },
    {
      to: "/admin/mcp-servers",
      label: "MCP servers",
      rules: [rules.seenServers, rules.servers],
    },
    { to: "/admin/policies", label: "Tool policies", rules: [rules.policies] },
    { to: "/admin/secrets", label: "Secrets", rules: [rules.secretNames] },
    { to: "/admin/script-policy", label: "Script policy", rules: [rules.scriptPolicy] },
    { to: "/admin/audit", label: "Audit log", rules: [rules.audit] },
    { to: "/admin/privacy", label: "Privacy", rules: [rules.retention, rules.privacy] },
    {
      to: "/admin/operations",
      label: "Operations",
      rules: [rules.history, rules.events, "notification.settings.manage"],
    },
  ],
  palette: [
    {
      to: "/admin/audit/changes",
      label: "Changes and sign-ins",
      words: "admin settings",
      detail: "Administration",
      icon: "admin",
      rules: [rules.audit],
    },
  ],
  // Proposals to change them announce their changes.
  follows: { policies: { on: ({ kind }) => kind === "proposal" } },
};
