import { createRoute, redirect } from "@tanstack/react-router";
import { conversationQuery, conversationsQuery } from "../api/conversations";
import { integrationsQuery } from "../api/integrations";
import { meQuery } from "../api/session";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { searchText } from "../shell/searchparams";
import type { Change } from "../changes/connection";
import { lastPlace } from "./place";

const chatRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/chat",
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchInfiniteQuery(conversationsQuery);
    void queryClient.prefetchQuery(integrationsQuery);
  },
  component: lazyPage(() => import("./ChatLayout"), "ChatLayout"),
});

const draftRoute = createRoute({
  getParentRoute: () => chatRoute,
  path: "/",
  // Text that a link puts into the message box; it is never sent by itself.
  validateSearch: (search): { prompt?: string; last?: true } => ({
    prompt: searchText(search.prompt),
    last: search.last === true || undefined,
  }),
  // Back to where the person was.
  beforeLoad: ({ context, search }) => {
    if (!search.last) return;
    const me = context.queryClient.getQueryData(meQuery.queryKey);
    const conversationId = me ? lastPlace(me.id) : "";
    if (conversationId === "") throw redirect({ to: "/chat", search: {}, replace: true });
    throw redirect({ to: "/chat/$conversationId", params: { conversationId }, replace: true });
  },
  component: lazyPage(() => import("./DraftPanel"), "DraftPanel"),
});

const conversationRoute = createRoute({
  getParentRoute: () => chatRoute,
  path: "$conversationId",
  // The message to show, such as one in which words were found.
  validateSearch: (search): { message?: string } => ({ message: searchText(search.message) }),
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(conversationQuery(params.conversationId)),
  component: lazyPage(() => import("./ConversationPanel"), "ConversationPanel"),
});

const routes = [chatRoute.addChildren([draftRoute, conversationRoute])] as const;

const isConversation = ({ kind }: Change) => kind === "conversation";

export const chatArea: Area<typeof routes> = {
  routes,
  navigation: {
    to: "/chat",
    search: { last: true },
    label: "Chat",
    icon: "chat",
    words: "assistant ask conversation",
  },
  follows: {
    conversations: { on: isConversation },
    "archived-conversations": { on: isConversation },
    conversation: { on: (change, { queryKey: [, id] }) => isConversation(change) && change.id === id },
  },
};
