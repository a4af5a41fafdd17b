import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { conversationQuery, conversationsQuery } from "../api/conversations";
import { integrationsQuery } from "../api/integrations";
import { appRoute } from "../shell/root";
import { searchText } from "../shell/searchparams";

const chatRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/chat",
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchInfiniteQuery(conversationsQuery);
    void queryClient.prefetchQuery(integrationsQuery);
  },
  component: lazyRouteComponent(() => import("./ChatLayout"), "ChatLayout"),
});

const draftRoute = createRoute({
  getParentRoute: () => chatRoute,
  path: "/",
  // What a link puts into the message box; it is never sent by itself.
  validateSearch: (search): { prompt?: string } => ({ prompt: searchText(search.prompt) }),
  component: lazyRouteComponent(() => import("./DraftPanel"), "DraftPanel"),
});

const conversationRoute = createRoute({
  getParentRoute: () => chatRoute,
  path: "$conversationId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(conversationQuery(params.conversationId)),
  component: lazyRouteComponent(() => import("./ConversationPanel"), "ConversationPanel"),
});

export const chatRoutes = [chatRoute.addChildren([draftRoute, conversationRoute])] as const;
