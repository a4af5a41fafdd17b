import type { Query } from "@tanstack/react-query";
import { createRoute } from "@tanstack/react-router";
import { incidentQuery, incidentRules, incidentsKey, incidentsQuery, timelineQuery } from "../api/incidents";
import type { Area } from "../area";
import type { Change } from "../changes/connection";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { parseFilter } from "./filter";

const incidentsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/incidents",
  validateSearch: parseFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(incidentsQuery(deps)),
  component: lazyPage(() => import("./IncidentsPage"), "IncidentsPage"),
});

const incidentRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/incidents/$incidentId",
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(incidentQuery(params.incidentId));
    void context.queryClient.prefetchInfiniteQuery(timelineQuery(params.incidentId));
  },
  component: lazyPage(() => import("./IncidentPage"), "IncidentPage"),
});

const routes = [incidentsRoute, incidentRoute] as const;

/** Changes of systems, checks and proposals are moments of timelines; which of them is known by the server alone. */
const around = new Set(["catalog.system", "healthcheck.healthcheck"]);

function isAbout({ kind, type, id }: Change, { queryKey: [, part, of] }: Query): boolean {
  if (type === "incident.incident") return (part !== "one" && part !== "timeline") || id === of;
  return part === "timeline" && (kind === "proposal" || (type !== undefined && around.has(type)));
}

export const incidentsArea: Area<typeof routes> = {
  routes,
  navigation: {
    to: "/incidents",
    label: "Incidents",
    icon: "alert",
    rules: Object.values(incidentRules),
    words: "outages alerts trouble emergency",
  },
  follows: { [incidentsKey[0]]: { on: isAbout, hasForms: true } },
};
