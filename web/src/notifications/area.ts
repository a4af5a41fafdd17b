import { createRoute } from "@tanstack/react-router";
import type { DeliveryState } from "../api/notifications";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";

const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/settings/notifications",
  component: lazyPage(() => import("./pages"), "NotificationsPage"),
});

const deliveriesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/settings/notifications/deliveries",
  validateSearch: (search): { state?: DeliveryState; all?: true } => ({
    // An unknown one is refused where it is read.
    state: search.state as DeliveryState | undefined,
    all: search.all as true | undefined,
  }),
  component: lazyPage(() => import("./pages"), "DeliveriesPage"),
});

const routes = [settingsRoute, deliveriesRoute] as const;

export const notificationsArea: Area<typeof routes> = {
  routes,
  palette: [
    { to: "/settings/notifications", label: "Notifications", words: "channels push quiet hours", icon: "alert" },
    { to: "/settings/notifications/deliveries", label: "Sent notifications", words: "delivery log", icon: "alert" },
  ],
};
