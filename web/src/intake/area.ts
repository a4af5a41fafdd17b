import { createRoute } from "@tanstack/react-router";
import { alertSourcesQuery, intakeRules } from "../api/intake";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { adminRoute } from "../shell/root";

const sourcesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "alert-sources",
  loader: ({ context }) => void context.queryClient.prefetchQuery(alertSourcesQuery),
  component: lazyPage(() => import("./AlertSourcesPage"), "AlertSourcesPage"),
});

const adminRoutes = [sourcesRoute] as const;

export const intakeArea: Area<[], typeof adminRoutes> = {
  routes: [],
  adminRoutes,
  administration: [{ to: "/admin/alert-sources", label: "Alert sources", rules: Object.values(intakeRules) }],
  follows: { "alert-sources": { on: ({ type }) => type === "intake.source" } },
};
