import { createRoute } from "@tanstack/react-router";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { adminRoute } from "../shell/root";

const sourcesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "alert-sources",
  component: lazyPage(() => import("./AlertSourcesPage"), "AlertSourcesPage"),
});

const adminRoutes = [sourcesRoute] as const;

export const intakeArea: Area<[], typeof adminRoutes> = {
  routes: [],
  adminRoutes,
  administration: [
    { to: "/admin/alert-sources", label: "Alert sources", rules: ["intake.source.read", "intake.source.manage"] },
  ],
  follows: { "alert-sources": { on: ({ type }) => type === "intake.source" } },
};
