import { createRoute } from "@tanstack/react-router";
import { spendFilter, spendReportQuery, type SpendFilter } from "../api/spend";
import type { Area } from "../area";
import { administrationRules } from "../shell/administration";
import { lazyPage } from "../shell/lazypage";
import { adminRoute } from "../shell/root";

const spendRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "spend",
  validateSearch: (search): SpendFilter => spendFilter(search),
  loaderDeps: ({ search }) => spendFilter({ ...search }),
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(spendReportQuery(false, deps)),
  component: lazyPage(() => import("./SpendPage"), "SpendPage"),
});

const adminRoutes = [spendRoute] as const;

export const spendArea: Area<[], typeof adminRoutes> = {
  routes: [],
  adminRoutes,
  administration: [{ to: "/admin/spend", label: "Spend", rules: [administrationRules.turns], after: "/admin/turns" }],
};
