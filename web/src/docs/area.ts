import { createRoute } from "@tanstack/react-router";
import { docQuery, docsRule, docsQuery, docsSearchQuery } from "../api/docs";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { searchText } from "../shell/searchparams";

const docsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/docs",
  validateSearch: (search): { query?: string } => ({ query: searchText(search.query) }),
  loader: ({ context }) => void context.queryClient.prefetchQuery(docsQuery),
  component: lazyPage(() => import("./DocsLayout"), "DocsLayout"),
});

const overviewRoute = createRoute({
  getParentRoute: () => docsRoute,
  path: "/",
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps: { query } }) => {
    if (query) void context.queryClient.prefetchQuery(docsSearchQuery(query));
  },
  component: lazyPage(() => import("./OverviewPage"), "OverviewPage"),
});

const docRoute = createRoute({
  getParentRoute: () => docsRoute,
  path: "$",
  loader: ({ context, params: { _splat: slug = "" } }) => void context.queryClient.prefetchQuery(docQuery(slug)),
  component: lazyPage(() => import("./DocPage"), "DocPage"),
});

const routes = [docsRoute.addChildren([overviewRoute, docRoute])] as const;

export const docsArea: Area<typeof routes> = {
  routes,
  navigation: { to: "/docs", label: "Docs", icon: "book", rules: [docsRule], words: "documentation help manual" },
};
