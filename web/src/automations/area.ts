import { createRoute } from "@tanstack/react-router";
import {
  automationQuery,
  automationRules,
  automationRunQuery,
  automationRunsKey,
  automationRunsQuery,
  automationsKey,
  automationsQuery,
  automationStepsQuery,
} from "../api/automations";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { parseFilter } from "./filter";

const automationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations",
  validateSearch: parseFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(automationsQuery(deps)),
  component: lazyPage(() => import("./AutomationsPage"), "AutomationsPage"),
});

const newRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations/new",
  component: lazyPage(() => import("./NewAutomationPage"), "NewAutomationPage"),
});

const automationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations/$automationId",
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(automationQuery(params.automationId));
    void context.queryClient.prefetchInfiniteQuery(automationRunsQuery(params.automationId));
  },
  component: lazyPage(() => import("./AutomationPage"), "AutomationPage"),
});

const runRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/automations/runs/$runId",
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(automationRunQuery(params.runId));
    void context.queryClient.prefetchInfiniteQuery(automationStepsQuery(params.runId));
  },
  component: lazyPage(() => import("./RunPage"), "RunPage"),
});

const routes = [automationsRoute, newRoute, automationRoute, runRoute] as const;

export const automationsArea: Area<typeof routes> = {
  routes,
  navigation: {
    to: "/automations",
    label: "Automate",
    icon: "repeat",
    rules: Object.values(automationRules),
    words: "automations workflows triggers schedules playbooks runs",
  },
  palette: [
    { to: "/automations/new", label: "New automation", words: "create workflow", rules: [automationRules.manage] },
  ],
  follows: {
    // A list shows the last runs, too.
    [automationsKey[0]]: {
      on: ({ type, id }, { queryKey: [, part, of] }) =>
        part === "list"
          ? type === "automation.automation" || type === "automation.run"
          : type === "automation.automation" && id === of,
    },
    [automationRunsKey[0]]: {
      on: ({ type, id }, { queryKey: [, part, of] }) => type === "automation.run" && (part === "list" || id === of),
    },
  },
};
