import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { signInsQuery } from "./api/account";
import { auditFilter, auditQuery, auditStatusQuery, type AuditFilter } from "./api/audit";
import { environmentsQuery, groupsQuery, systemQuery, systemsQuery } from "./api/catalog";
import { connectionsQuery } from "./api/connections";
import { conversationQuery, conversationsQuery } from "./api/conversations";
import { integrationsQuery } from "./api/integrations";
import { memoriesQuery } from "./api/memories";
import { applicationsQuery, rolesQuery, usersQuery } from "./api/people";
import { policiesQuery } from "./api/policies";
import { Problem } from "./api/problem";
import { erasuresQuery, keptPeopleQuery, retentionQuery } from "./api/privacy";
import { proposalQuery, proposalsQuery } from "./api/proposals";
import { scriptContextQuery, type ScriptContextId } from "./api/scripts";
import { scriptPolicyChangesQuery, scriptPolicyQuery } from "./api/scriptpolicy";
import { secretsQuery } from "./api/secrets";
import { holds, meQuery, settingsQuery } from "./api/session";
import { skillQuery, skillsQuery } from "./api/skills";
import { teamQuery, teamsQuery } from "./api/teams";
import { parseFilter } from "./memory/describe";
import type { ProposalFilter } from "./proposals/ProposalsPage";
import { places } from "./scripts/places";
import { administrationRules, pagesOf } from "./shell/administration";
import { AppShell } from "./shell/AppShell";
import { NotFound, RouteError } from "./shell/RouteError";
import { needsDocument, scriptsPath } from "./shell/scripting";
import type { SkillFilter } from "./skills/filter";

interface RouterContext {
  queryClient: QueryClient;
}

const rootRoute = createRootRouteWithContext<RouterContext>()({ component: Outlet, notFoundComponent: NotFound });

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search): { next?: string } => ({ next: localPath(search.next) }),
  component: lazyRouteComponent(() => import("./shell/SignInPage"), "SignInPage"),
});

/** Everything behind sign-in. */
const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "app",
  beforeLoad: async ({ context, location, preload }) => {
    try {
      await context.queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (error instanceof Problem && error.status === 401) {
        throw redirect({ to: "/sign-in", search: { next: location.href } });
      }
      throw error;
    }
    if (preload || !needsDocument(location.pathname)) return;
    window.location.replace(location.href);
    // Nothing more happens in this document.
    await new Promise(() => {});
  },
  loader: ({ context }) => void context.queryClient.prefetchQuery(settingsQuery),
  component: AppShell,
});

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/chat" });
  },
});

// Loaders start reads and do not wait for them: a hovered link is warm, and a
// clicked one shows its page with placeholders at once.

const chatRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/chat",
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(conversationsQuery);
    void queryClient.prefetchQuery(integrationsQuery);
  },
  component: lazyRouteComponent(() => import("./chat/ChatLayout"), "ChatLayout"),
});

const draftRoute = createRoute({
  getParentRoute: () => chatRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./chat/DraftPanel"), "DraftPanel"),
});

const conversationRoute = createRoute({
  getParentRoute: () => chatRoute,
  path: "$conversationId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(conversationQuery(params.conversationId)),
  component: lazyRouteComponent(() => import("./chat/ConversationPanel"), "ConversationPanel"),
});

const proposalsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/proposals",
  validateSearch: (search): { status: ProposalFilter; proposal?: string } => ({
    status: proposalFilter(search.status),
    proposal: text(search.proposal),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps: { status, proposal } }) => {
    if (proposal) void queryClient.prefetchQuery(proposalQuery(proposal));
    else void queryClient.prefetchQuery(proposalsQuery(status));
  },
  component: lazyRouteComponent(() => import("./proposals/ProposalsPage"), "ProposalsPage"),
});

const memoryRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/memory",
  validateSearch: parseFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(memoriesQuery(deps)),
  component: lazyRouteComponent(() => import("./memory/MemoryPage"), "MemoryPage"),
});

const catalogRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/catalog",
  component: lazyRouteComponent(() => import("./catalog/CatalogLayout"), "CatalogLayout"),
});

const catalogHomeRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/catalog/systems", search: {} });
  },
});

const systemsRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "systems",
  validateSearch: (search): { query?: string } => ({ query: text(search.query) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(systemsQuery(deps.query ?? "")),
  component: lazyRouteComponent(() => import("./catalog/SystemsPage"), "SystemsPage"),
});

const systemRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "systems/$systemId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(systemQuery(params.systemId)),
  component: lazyRouteComponent(() => import("./catalog/SystemPage"), "SystemPage"),
});

const groupsRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "groups",
  loader: ({ context }) => void context.queryClient.prefetchQuery(groupsQuery),
  component: lazyRouteComponent(() => import("./catalog/GroupsPage"), "GroupsPage"),
});

const environmentsRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "environments",
  loader: ({ context }) => void context.queryClient.prefetchQuery(environmentsQuery),
  component: lazyRouteComponent(() => import("./catalog/EnvironmentsPage"), "EnvironmentsPage"),
});

const teamsRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "teams",
  loader: ({ context }) => void context.queryClient.prefetchQuery(teamsQuery),
  component: lazyRouteComponent(() => import("./catalog/TeamsPage"), "TeamsPage"),
});

const teamRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "teams/$teamId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(teamQuery(params.teamId)),
  component: lazyRouteComponent(() => import("./catalog/TeamPage"), "TeamPage"),
});

const accountRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/account",
  loader: ({ context }) => void context.queryClient.prefetchQuery(signInsQuery),
  component: lazyRouteComponent(() => import("./shell/AccountPage"), "AccountPage"),
});

const skillsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/skills",
  validateSearch: (search): SkillFilter => ({
    target: search.target === "chat" || search.target === "ai_analyze" ? search.target : undefined,
    source: search.source === "builtin" || search.source === "own" ? search.source : undefined,
    query: text(search.query),
  }),
  loader: ({ context }) => void context.queryClient.prefetchQuery(skillsQuery),
  component: lazyRouteComponent(() => import("./skills/SkillsPage"), "SkillsPage"),
});

const skillRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/skills/$skillId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(skillQuery(params.skillId)),
  component: lazyRouteComponent(() => import("./skills/SkillPage"), "SkillPage"),
});

const scriptsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: scriptsPath,
  validateSearch: (search): { context?: ScriptContextId } => ({
    context: places.find(({ id }) => id === search.context)?.id,
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) => {
    const place = places.find(({ id }) => id === deps.context);
    if (place) void queryClient.prefetchQuery(scriptContextQuery(place.area, place.id));
  },
  component: lazyRouteComponent(() => import("./scripts/ScriptsPage"), "ScriptsPage"),
});

const adminRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/admin",
  component: lazyRouteComponent(() => import("./admin/AdminLayout"), "AdminLayout"),
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
  component: lazyRouteComponent(() => import("./admin/ConnectionsPage"), "ConnectionsPage"),
});

const usersRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "users",
  loader: ({ context }) => void context.queryClient.prefetchQuery(usersQuery),
  component: lazyRouteComponent(() => import("./admin/UsersPage"), "UsersPage"),
});

const rolesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "roles",
  loader: ({ context }) => void context.queryClient.prefetchQuery(rolesQuery),
  component: lazyRouteComponent(() => import("./admin/RolesPage"), "RolesPage"),
});

const applicationsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "applications",
  loader: ({ context }) => void context.queryClient.prefetchQuery(applicationsQuery),
  component: lazyRouteComponent(() => import("./admin/ApplicationsPage"), "ApplicationsPage"),
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
  component: lazyRouteComponent(() => import("./admin/PrivacyPage"), "PrivacyPage"),
});

const policiesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "policies",
  loader: ({ context }) => void context.queryClient.prefetchQuery(policiesQuery),
  component: lazyRouteComponent(() => import("./admin/PoliciesPage"), "PoliciesPage"),
});

const secretsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "secrets",
  loader: ({ context }) => void context.queryClient.prefetchQuery(secretsQuery),
  component: lazyRouteComponent(() => import("./admin/SecretsPage"), "SecretsPage"),
});

const scriptPolicyRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "script-policy",
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(scriptPolicyQuery);
    void queryClient.prefetchQuery(scriptPolicyChangesQuery);
  },
  component: lazyRouteComponent(() => import("./admin/ScriptPolicyPage"), "ScriptPolicyPage"),
});

const auditRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "audit",
  validateSearch: (search): AuditFilter & { call?: string } => ({ ...auditFilter(search), call: text(search.call) }),
  loaderDeps: ({ search }) => auditFilter({ ...search }),
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchInfiniteQuery(auditQuery(deps));
    void queryClient.prefetchQuery(auditStatusQuery);
  },
  component: lazyRouteComponent(() => import("./admin/AuditPage"), "AuditPage"),
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  appRoute.addChildren([
    homeRoute,
    chatRoute.addChildren([draftRoute, conversationRoute]),
    proposalsRoute,
    memoryRoute,
    skillsRoute,
    skillRoute,
    scriptsRoute,
    accountRoute,
    catalogRoute.addChildren([
      catalogHomeRoute,
      systemsRoute,
      systemRoute,
      groupsRoute,
      environmentsRoute,
      teamsRoute,
      teamRoute,
    ]),
    adminRoute.addChildren([
      adminHomeRoute,
      connectionsRoute,
      usersRoute,
      rolesRoute,
      applicationsRoute,
      policiesRoute,
      secretsRoute,
      scriptPolicyRoute,
      auditRoute,
      privacyRoute,
    ]),
  ]),
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: RouteError,
    scrollRestoration: false,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

const proposalFilters: ProposalFilter[] = [
  "proposed",
  "applying",
  "applied",
  "declined",
  "failed",
  "skipped",
  "expired",
  "all",
];

function proposalFilter(value: unknown): ProposalFilter {
  return proposalFilters.find((filter) => filter === value) ?? "proposed";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Only paths of this site: a link must not send a person elsewhere after sign-in. */
function localPath(value: unknown): string | undefined {
  return typeof value === "string" && /^\/(?![/\\])/.test(value) ? value : undefined;
}
