import { createRoute } from "@tanstack/react-router";
import {
  maintenanceQuery,
  maintenanceRules,
  maintenancesKey,
  maintenancesQuery,
  maintenanceUpdatesQuery,
} from "../api/maintenances";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { parseFilter, parseMonth } from "./filter";

const maintenancesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/maintenances",
  validateSearch: parseFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(maintenancesQuery(deps)),
  component: lazyPage(() => import("./MaintenancesPage"), "MaintenancesPage"),
});

const calendarRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/maintenances/calendar",
  validateSearch: parseMonth,
  component: lazyPage(() => import("./CalendarPage"), "CalendarPage"),
});

const maintenanceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/maintenances/$maintenanceId",
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(maintenanceQuery(params.maintenanceId));
    void context.queryClient.prefetchInfiniteQuery(maintenanceUpdatesQuery(params.maintenanceId));
  },
  component: lazyPage(() => import("./MaintenancePage"), "MaintenancePage"),
});

const routes = [maintenancesRoute, calendarRoute, maintenanceRoute] as const;

export const maintenancesArea: Area<typeof routes> = {
  routes,
  navigation: {
    to: "/maintenances",
    label: "Planned",
    icon: "clock",
    rules: Object.values(maintenanceRules),
    words: "maintenances downtime window calendar patching",
  },
  palette: [{ to: "/maintenances/calendar", label: "Maintenance calendar", words: "month downtime" }],
  follows: {
    [maintenancesKey[0]]: {
      on: ({ type, id }, { queryKey: [, part, of] }) =>
        type === "maintenance.maintenance" && ((part !== "one" && part !== "updates") || id === of),
      hasForms: true,
    },
  },
};
