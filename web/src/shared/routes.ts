import { createRoute } from "@tanstack/react-router";
import { sharedChatQuery, sharedChatsQuery } from "../api/shared";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";

const listRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/shared",
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(sharedChatsQuery),
  component: lazyPage(() => import("./SharedPage"), "SharedPage"),
});

const chatRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/shared/$conversationId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(sharedChatQuery(params.conversationId)),
  component: lazyPage(() => import("./SharedChatPage"), "SharedChatPage"),
});

export const sharedRoutes = [listRoute, chatRoute] as const;
