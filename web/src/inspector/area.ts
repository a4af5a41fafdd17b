import { createRoute } from "@tanstack/react-router";
import { settingsQuery } from "../api/session";
import { turnFilter, turnQuery, turnsQuery, type TurnFilter } from "../api/turns";
import type { Area } from "../area";
import { administrationRules } from "../shell/administration";
import { lazyPage } from "../shell/lazypage";
import { adminRoute, appRoute } from "../shell/root";

const turnRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/turns/$turnId",
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(turnQuery(params.turnId));
    void queryClient.prefetchQuery(settingsQuery);
  },
  component: lazyPage(() => import("./TurnPage"), "TurnPage"),
});

const turnsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "turns",
  validateSearch: (search): TurnFilter => turnFilter(search),
  loaderDeps: ({ search }) => turnFilter({ ...search }),
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(turnsQuery(deps)),
  component: lazyPage(() => import("./TurnsPage"), "TurnsPage"),
});

const routes = [turnRoute] as const;
const adminRoutes = [turnsRoute] as const;

export const inspectorArea: Area<typeof routes, typeof adminRoutes> = {
  routes,
  adminRoutes,
  administration: [{ to: "/admin/turns", label: "Turns", rules: [administrationRules.turns], after: "/admin/audit" }],
};
