import { createRoute } from "@tanstack/react-router";
import { settingsQuery } from "../api/session";
import { turnQuery } from "../api/turns";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";

const turnRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/turns/$turnId",
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(turnQuery(params.turnId));
    void queryClient.prefetchQuery(settingsQuery);
  },
  component: lazyPage(() => import("./TurnPage"), "TurnPage"),
});

const routes = [turnRoute] as const;

export const inspectorArea: Area<typeof routes> = {
  routes,
};
