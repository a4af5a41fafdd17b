import { createRoute, redirect } from "@tanstack/react-router";
import { auditFilter, auditQuery, auditStatusQuery, type AuditFilter } from "../api/audit";
import { connectionsQuery } from "../api/connections";
import { parkedQuery } from "../api/events";
import { historyRetentionQuery } from "../api/health";
import { changeFilter, changesQuery, type ChangeFilter } from "../api/history";
import { applicationsQuery, foundUsersQuery, rolesQuery, type UserFilter, type UserStatus } from "../api/people";
import { mcpServersQuery } from "../api/mcpservers";
import { modelChecksQuery } from "../api/modelchecks";
import { policiesQuery } from "../api/policies";
import { everyProgramQuery, registrationQuery } from "../api/programs";
import { erasuresQuery, keptPeopleQuery, retentionQuery } from "../api/privacy";
import { scriptPolicyChangesQuery, scriptPolicyQuery } from "../api/scriptpolicy";
import { secretsQuery } from "../api/secrets";
import { holds, meQuery } from "../api/session";
import { spendFilter, spendReportQuery, type SpendFilter } from "../api/spend";
import { turnFilter, turnsQuery, type TurnFilter } from "../api/turns";
import { administrationPages, administrationRules, pagesOf } from "../shell/administration";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { searchText } from "../shell/searchparams";

const adminRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/admin",
  component: lazyPage(() => import("./AdminLayout"), "AdminLayout"),
});

const adminHomeRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/",
  beforeLoad: async ({ context }) => {
    const [first] = pagesOf(await context.queryClient.ensureQueryData(meQuery));
    if (first) throw redirect({ to: first.to });
  },
});

const connectionsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "connections",
  loader: ({ context }) => void context.queryClient.prefetchQuery(connectionsQuery),
  component: lazyPage(() => import("./ConnectionsPage"), "ConnectionsPage"),
});

const modelCheckRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "connections/$connectionId/check",
  validateSearch: (search): { check?: string; beside?: string } => ({
    check: searchText(search.check),
    beside: searchText(search.beside),
  }),
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(connectionsQuery);
    void queryClient.prefetchInfiniteQuery(modelChecksQuery);
  },
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
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(foundUsersQuery(deps)),
  component: lazyPage(() => import("./UsersPage"), "UsersPage"),
});

const rolesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "roles",
  loader: ({ context }) => void context.queryClient.prefetchQuery(rolesQuery),
  component: lazyPage(() => import("./RolesPage"), "RolesPage"),
});

const applicationsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "applications",
  loader: ({ context }) => void context.queryClient.prefetchQuery(applicationsQuery),
  component: lazyPage(() => import("./ApplicationsPage"), "ApplicationsPage"),
});

const programsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "programs",
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchInfiniteQuery(everyProgramQuery);
    void queryClient.prefetchQuery(registrationQuery);
  },
  component: lazyPage(() => import("./ProgramsPage"), "ProgramsPage"),
});

const mcpServersRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "mcp-servers",
  loader: ({ context }) => void context.queryClient.prefetchQuery(mcpServersQuery),
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
  loader: ({ context }) => void context.queryClient.prefetchQuery(policiesQuery),
  component: lazyPage(() => import("./PoliciesPage"), "PoliciesPage"),
});

const secretsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "secrets",
  loader: ({ context }) => void context.queryClient.prefetchQuery(secretsQuery),
  component: lazyPage(() => import("./SecretsPage"), "SecretsPage"),
});

const scriptPolicyRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "script-policy",
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(scriptPolicyQuery);
    void queryClient.prefetchQuery(scriptPolicyChangesQuery);
  },
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
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchInfiniteQuery(auditQuery(deps));
    void queryClient.prefetchQuery(auditStatusQuery);
  },
  component: lazyPage(() => import("./AuditPage"), "AuditPage"),
});

const auditChangesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "audit/changes",
  validateSearch: (search): ChangeFilter => changeFilter(search),
  loaderDeps: ({ search }) => changeFilter({ ...search }),
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchInfiniteQuery(changesQuery(deps));
    void queryClient.prefetchQuery(auditStatusQuery);
  },
  component: lazyPage(() => import("./AuditChangesPage"), "AuditChangesPage"),
});

const turnsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "turns",
  validateSearch: (search): TurnFilter => turnFilter(search),
  loaderDeps: ({ search }) => turnFilter({ ...search }),
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(turnsQuery(deps)),
  component: lazyPage(() => import("../inspector/TurnsPage"), "TurnsPage"),
});

const spendRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "spend",
  validateSearch: (search): SpendFilter => spendFilter(search),
  loaderDeps: ({ search }) => spendFilter({ ...search }),
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(spendReportQuery(false, deps)),
  component: lazyPage(() => import("../spend/SpendPage"), "SpendPage"),
});

const privacyRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "privacy",
  loader: ({ context: { queryClient } }) => {
    const me = queryClient.getQueryData(meQuery.queryKey);
    if (holds(me, administrationRules.retention)) void queryClient.prefetchQuery(retentionQuery);
    if (!holds(me, administrationRules.privacy)) return;
    void queryClient.prefetchQuery(keptPeopleQuery);
    void queryClient.prefetchQuery(erasuresQuery);
  },
  component: lazyPage(() => import("./PrivacyPage"), "PrivacyPage"),
});

const operationsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "operations",
  loader: ({ context: { queryClient } }) => {
    const me = queryClient.getQueryData(meQuery.queryKey);
    if (holds(me, administrationRules.history)) void queryClient.prefetchQuery(historyRetentionQuery);
    if (holds(me, administrationRules.events)) void queryClient.prefetchInfiniteQuery(parkedQuery);
  },
  component: lazyPage(() => import("./OperationsPage"), "OperationsPage"),
});

const routes = [
  adminRoute.addChildren([
    adminHomeRoute,
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
    turnsRoute,
    spendRoute,
    privacyRoute,
    operationsRoute,
  ]),
] as const;

export const adminArea: Area<typeof routes> = {
  routes,
  navigation: {
    to: "/admin",
    label: "Admin",
    icon: "admin",
    rules: administrationPages.flatMap(({ rules }) => rules),
    words: "administration settings",
  },
  palette: [
    ...administrationPages,
    { to: "/admin/audit/changes" as const, label: "Changes and sign-ins", rules: [administrationRules.audit] },
  ].map(({ to, label, rules }) => ({ to, label, rules, words: "admin settings", detail: "Administration" })),
  // Proposals to change them announce their changes.
  follows: { policies: { on: ({ kind }) => kind === "proposal" } },
};
