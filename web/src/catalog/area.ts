import type { Query } from "@tanstack/react-query";
import { createRoute, redirect } from "@tanstack/react-router";
import {
  catalogKey,
  environmentQuery,
  environmentsQuery,
  groupQuery,
  groupsQuery,
  systemQuery,
  systemsQuery,
  type SystemFilter,
} from "../api/catalog";
import { teamQuery, teamsQuery } from "../api/teams";
import type { Area } from "../area";
import type { Change } from "../changes/connection";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { searchText } from "../shell/searchparams";

const catalogRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/catalog",
  component: lazyPage(() => import("./CatalogLayout"), "CatalogLayout"),
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
  validateSearch: (search): SystemFilter => ({
    query: searchText(search.query),
    tag: searchText(search.tag),
    teamId: searchText(search.teamId),
    groupId: searchText(search.groupId),
    environmentId: searchText(search.environmentId),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(systemsQuery(deps)),
  component: lazyPage(() => import("./SystemsPage"), "SystemsPage"),
});

const systemRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "systems/$systemId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(systemQuery(params.systemId)),
  component: lazyPage(() => import("./SystemPage"), "SystemPage"),
});

const groupsRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "groups",
  loader: ({ context }) => void context.queryClient.prefetchQuery(groupsQuery),
  component: lazyPage(() => import("./GroupsPage"), "GroupsPage"),
});

const groupRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "groups/$groupId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(groupQuery(params.groupId)),
  component: lazyPage(() => import("./GroupPage"), "GroupPage"),
});

const environmentsRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "environments",
  loader: ({ context }) => void context.queryClient.prefetchQuery(environmentsQuery),
  component: lazyPage(() => import("./EnvironmentsPage"), "EnvironmentsPage"),
});

const environmentRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "environments/$environmentId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(environmentQuery(params.environmentId)),
  component: lazyPage(() => import("./EnvironmentPage"), "EnvironmentPage"),
});

const teamsRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "teams",
  loader: ({ context }) => void context.queryClient.prefetchQuery(teamsQuery),
  component: lazyPage(() => import("./TeamsPage"), "TeamsPage"),
});

const teamRoute = createRoute({
  getParentRoute: () => catalogRoute,
  path: "teams/$teamId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(teamQuery(params.teamId)),
  component: lazyPage(() => import("./TeamPage"), "TeamPage"),
});

const routes = [
  catalogRoute.addChildren([
    catalogHomeRoute,
    systemsRoute,
    systemRoute,
    groupsRoute,
    groupRoute,
    environmentsRoute,
    environmentRoute,
    teamsRoute,
    teamRoute,
  ]),
] as const;

function isAbout(change: Change, { queryKey: [, kind, id] }: Query): boolean {
  if (change.type === "auth.team") return true;
  if (!change.type?.startsWith("catalog.") || kind === "teams") return false;
  return kind !== "system" || change.type !== "catalog.system" || change.id === id;
}

export const catalogArea: Area<typeof routes> = {
  routes,
  navigation: { to: "/catalog", label: "Catalog", icon: "catalog", words: "systems services" },
  palette: [
    { to: "/catalog/systems", label: "Systems", words: "catalog" },
    { to: "/catalog/groups", label: "Groups", words: "catalog" },
    { to: "/catalog/environments", label: "Environments", words: "catalog" },
    { to: "/catalog/teams", label: "Teams", words: "catalog" },
  ],
  follows: { [catalogKey[0]]: { on: isAbout, hasForms: true } },
};
