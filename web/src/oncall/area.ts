import { createRoute } from "@tanstack/react-router";
import { incidentsQuery } from "../api/incidents";
import { oncallKey, oncallRules, policiesQuery, policyQuery, scheduleQuery, schedulesQuery } from "../api/oncall";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/on-call",
  loader: ({ context }) => {
    void context.queryClient.prefetchInfiniteQuery(incidentsQuery({ state: "open" }));
    void context.queryClient.prefetchQuery(schedulesQuery);
    void context.queryClient.prefetchQuery(policiesQuery);
  },
  component: lazyPage(() => import("./OnCallPage"), "OnCallPage"),
});

const scheduleRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/on-call/schedules/$scheduleId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(scheduleQuery(params.scheduleId)),
  component: lazyPage(() => import("./SchedulePage"), "SchedulePage"),
});

const policyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/on-call/policies/$policyId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(policyQuery(params.policyId)),
  component: lazyPage(() => import("./PolicyPage"), "PolicyPage"),
});

const routes = [homeRoute, scheduleRoute, policyRoute] as const;

const followed = new Set(["oncall.schedule", "oncall.policy"]);

export const onCallArea: Area<typeof routes> = {
  routes,
  navigation: {
    to: "/on-call",
    label: "On-call",
    icon: "clock",
    rules: Object.values(oncallRules),
    words: "pager schedule rota rotation shifts escalation policy",
  },
  follows: { [oncallKey[0]]: { on: ({ type }) => type !== undefined && followed.has(type) } },
};
