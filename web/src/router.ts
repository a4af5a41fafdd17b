import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { adminRoutes } from "./admin/routes";
import { agentsRoutes } from "./agents/routes";
import { catalogRoutes } from "./catalog/routes";
import { chatRoutes } from "./chat/routes";
import { docsRoutes } from "./docs/routes";
import { healthRoutes } from "./health/routes";
import { inspectorRoutes } from "./inspector/routes";
import { memoryRoutes } from "./memory/routes";
import { proposalsRoutes } from "./proposals/routes";
import { scriptsRoutes } from "./scripts/routes";
import { RouteError } from "./shell/RouteError";
import { appRoute, rootRoute } from "./shell/root";
import { sharedRoutes } from "./shared/routes";
import { consentRoute, ownPasswordRoute, shellRoutes, signInRoute } from "./shell/routes";
import { skillsRoutes } from "./skills/routes";

// Each area has its routes in a routes.ts in its folder; a new area is one line here.
const routeTree = rootRoute.addChildren([
  signInRoute,
  ownPasswordRoute,
  consentRoute,
  appRoute.addChildren([
    ...shellRoutes,
    ...chatRoutes,
    ...sharedRoutes,
    ...proposalsRoutes,
    ...memoryRoutes,
    ...skillsRoutes,
    ...agentsRoutes,
    ...scriptsRoutes,
    ...healthRoutes,
    ...catalogRoutes,
    ...docsRoutes,
    ...inspectorRoutes,
    ...adminRoutes,
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
