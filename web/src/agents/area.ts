import { createRoute } from "@tanstack/react-router";
import { agentQuery, agentRules, agentsQuery, bundleQuery, revisionsQuery } from "../api/agents";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { toolEditorPath } from "../shell/scripting";
import { searchText } from "../shell/searchparams";
import { tabs, type TabId } from "./tabs";

const agentsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/agents",
  validateSearch: (search): { query?: string } => ({ query: searchText(search.query) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(agentsQuery(deps.query ?? "")),
  component: lazyPage(() => import("./AgentsPage"), "AgentsPage"),
});

const revisionNumber = (value: unknown) => (Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined);

const agentRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/agents/$agentId",
  validateSearch: (search): { tab?: TabId; revision?: number } => ({
    tab: tabs.find(({ id }) => id === search.tab)?.id,
    revision: revisionNumber(search.revision),
  }),
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(agentQuery(params.agentId));
    void context.queryClient.prefetchInfiniteQuery(revisionsQuery(params.agentId));
  },
  component: lazyPage(() => import("./AgentPage"), "AgentPage"),
});

/** The studio of one tool. Its path is one of the documents that may hold the script editor. */
const studioRoute = createRoute({
  getParentRoute: () => appRoute,
  path: toolEditorPath,
  validateSearch: (search): { agent?: string; revision?: number; tool?: string } => ({
    agent: searchText(search.agent),
    revision: revisionNumber(search.revision),
    tool: searchText(search.tool),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => {
    if (!deps.agent || !deps.revision) return;
    void context.queryClient.prefetchQuery(agentQuery(deps.agent));
    void context.queryClient.prefetchQuery(bundleQuery({ agent: deps.agent, rev: String(deps.revision) }));
  },
  component: lazyPage(() => import("./studio/ToolStudioPage"), "ToolStudioPage"),
});

const routes = [agentsRoute, agentRoute, studioRoute] as const;

export const agentsArea: Area<typeof routes> = {
  routes,
  navigation: {
    to: "/agents",
    label: "Agents",
    icon: "agent",
    rules: Object.values(agentRules),
    words: "custom tools typescript",
  },
};
