import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { conversationQuery, conversationsQuery } from "../api/conversations";
import { integrationsQuery } from "../api/integrations";
import { appRoute } from "../shell/root";

const chatRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/chat",
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(conversationsQuery);
    void queryClient.prefetchQuery(integrationsQuery);
  },
  component: lazyRouteComponent(() => import("./ChatLayout"), "ChatLayout"),
});

const draftRoute = createRoute({
  getParentRoute: () => chatRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./DraftPanel"), "DraftPanel"),
});

const conversationRoute = createRoute({
  getParentRoute: () => chatRoute,
  path: "$conversationId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(conversationQuery(params.conversationId)),
  component: lazyRouteComponent(() => import("./ConversationPanel"), "ConversationPanel"),
});

export const chatRoutes = [chatRoute.addChildren([draftRoute, conversationRoute])] as const;
