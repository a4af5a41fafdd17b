import { createRoute, redirect } from "@tanstack/react-router";
import {
  assignmentsQuery,
  boardQuery,
  checkQuery,
  checksQuery,
  healthRules,
  kindsQuery,
  locationsQuery,
  runQuery,
  systemHealthQuery,
  type HealthStatus,
} from "../api/health";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { checkEditorPath } from "../shell/scripting";
import { searchText } from "../shell/searchparams";
import type { SectionsBy } from "./board/sections";
import { ranges, type Range } from "./ranges";
import { statuses, verdicts, type Verdict } from "./status";

const healthRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/health",
  component: lazyPage(() => import("./HealthLayout"), "HealthLayout"),
});

const healthHomeRoute = createRoute({
  getParentRoute: () => healthRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/health/systems", search: {} });
  },
});

const boardRoute = createRoute({
  getParentRoute: () => healthRoute,
  path: "systems",
  validateSearch: (
    search,
  ): { query?: string; tag?: string; group?: string; status?: HealthStatus; by?: SectionsBy } => ({
    query: searchText(search.query),
    tag: searchText(search.tag),
    group: searchText(search.group),
    status: statuses.find((status) => status === search.status),
    by: (["group", "tag"] as const).find((by) => by === search.by),
  }),
  loaderDeps: ({ search: { query, tag, group, status } }) => ({ query, tag, status, groupId: group }),
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(boardQuery(deps)),
  component: lazyPage(() => import("./board/BoardPage"), "BoardPage"),
});

const systemRoute = createRoute({
  getParentRoute: () => healthRoute,
  path: "systems/$systemId",
  validateSearch: (search): { range?: Range; target?: number; verdict?: Verdict } => ({
    range: ranges.find(({ id }) => id === search.range)?.id,
    target: Number.isInteger(search.target) ? (search.target as number) : undefined,
    verdict: verdicts.find((verdict) => verdict === search.verdict),
  }),
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(systemHealthQuery(params.systemId)),
  component: lazyPage(() => import("./SystemHealthPage"), "SystemHealthPage"),
});

const runRoute = createRoute({
  getParentRoute: () => healthRoute,
  path: "systems/$systemId/runs/$targetId/$slot",
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(runQuery(Number(params.targetId), Number(params.slot))),
  component: lazyPage(() => import("./RunPage"), "RunPage"),
});

const checksRoute = createRoute({
  getParentRoute: () => healthRoute,
  path: "checks",
  validateSearch: (search): { query?: string } => ({ query: searchText(search.query) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchInfiniteQuery(checksQuery(deps.query ?? ""));
    void context.queryClient.prefetchQuery(kindsQuery);
  },
  component: lazyPage(() => import("./ChecksPage"), "ChecksPage"),
});

const checkRoute = createRoute({
  getParentRoute: () => healthRoute,
  path: "checks/$checkId",
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(checkQuery(params.checkId));
    void context.queryClient.prefetchInfiniteQuery(assignmentsQuery(params.checkId));
    void context.queryClient.prefetchQuery(kindsQuery);
  },
  component: lazyPage(() => import("./CheckPage"), "CheckPage"),
});

const locationsRoute = createRoute({
  getParentRoute: () => healthRoute,
  path: "locations",
  loader: ({ context }) => void context.queryClient.prefetchQuery(locationsQuery),
  component: lazyPage(() => import("./LocationsPage"), "LocationsPage"),
});

const importRoute = createRoute({
  getParentRoute: () => healthRoute,
  path: "import",
  component: lazyPage(() => import("./ImportPage"), "ImportPage"),
});

/** The editor of one check, or of a new one, which a system may be waiting for. */
const editorRoute = createRoute({
  getParentRoute: () => appRoute,
  path: checkEditorPath,
  validateSearch: (search): { check?: string; system?: string } => ({
    check: searchText(search.check),
    system: searchText(search.system),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchQuery(kindsQuery);
    if (deps.check) void context.queryClient.prefetchQuery(checkQuery(deps.check));
  },
  component: lazyPage(() => import("./editor/CheckEditorPage"), "CheckEditorPage"),
});

const routes = [
  healthRoute.addChildren([
    healthHomeRoute,
    boardRoute,
    systemRoute,
    runRoute,
    checksRoute,
    checkRoute,
    locationsRoute,
    importRoute,
  ]),
  editorRoute,
] as const;

export const healthArea: Area<typeof routes> = {
  routes,
  navigation: {
    to: "/health",
    label: "Health",
    icon: "health",
    rules: Object.values(healthRules),
    words: "status board monitoring uptime",
  },
  palette: [
    { to: "/health/checks", label: "Health checks", words: "monitoring probes" },
    { to: "/health/systems", label: "System health", words: "board status" },
    { to: "/health/locations", label: "Locations of health checks", words: "probes regions places" },
    { to: checkEditorPath, label: "New health check", words: "create add make", rules: [healthRules.manage] },
    { to: "/health/import", label: "Import health checks", words: "upload file", rules: [healthRules.manage] },
  ],
};
