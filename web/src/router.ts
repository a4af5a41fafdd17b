import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { areaAdminRoutes, areaRoutes } from "./areas";
import { adminHomeRoute } from "./shell/adminhome";
import { RouteError } from "./shell/RouteError";
import { adminRoute, appRoute, rootRoute } from "./shell/root";
import { consentRoute, ownPasswordRoute, signInRoute } from "./shell/area";

const routeTree = rootRoute.addChildren([
  signInRoute,
  ownPasswordRoute,
  consentRoute,
  appRoute.addChildren([...areaRoutes, adminRoute.addChildren([adminHomeRoute, ...areaAdminRoutes])]),
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

/** Prefetches the parts of the page at the address during the session check. The router does so after it. */
export function fetchPage(router: ReturnType<typeof createAppRouter>): void {
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const { options } of routes) void options.component?.preload?.();
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
