import { createRoute } from "@tanstack/react-router";
import { sharedChatQuery, sharedKey, sharedChatsQuery } from "../api/shared";
import type { Area } from "../area";
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

const routes = [listRoute, chatRoute] as const;

export const sharedArea: Area<typeof routes> = {
  routes,
  palette: [
    {
      to: "/shared",
      label: "Shared with me",
      words: "shared chats conversations colleagues",
      detail: "Chat",
      icon: "chat",
    },
  ],
  follows: {
    [sharedKey[0]]: {
      on: ({ kind, id }, { queryKey: [, part, chat] }) => kind === "conversation" && (part === "list" || id === chat),
    },
  },
};
