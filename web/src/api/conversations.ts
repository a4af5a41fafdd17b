import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, once, type Schema } from "./client";
import { asMessages, type ChatMessage } from "./protocol";

export type { ChatMessage };
export type ConversationSummary = Schema<"ConversationConversation">;
export type Conversation = Omit<Schema<"ApiTranscript">, "messages"> & { messages: ChatMessage[] };
export type PermissionMode = ConversationSummary["permissionMode"];
export type TurnError = Schema<"TurnFailure">;
export type RetryNotice = Schema<"AssistantRetryNotice">;

/** What the assistant wants to know before it goes on. */
export type QuestionData = Pick<Schema<"QuestionQuestion">, "question" | "options" | "allowFreeText">;

export type ConversationDraft = Pick<Schema<"ApiConversationSettings">, "connectionId" | "model" | "permissionMode">;

/** A person's chats, the latest first, page by page. */
const conversationPages = (key: "conversations" | "archived-conversations", archived: boolean) =>
  infiniteQueryOptions({
    queryKey: [key],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(api.GET("/api/ai/conversations", { params: { query: { archived, cursor } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
    select: ({ pages }) => pages.flatMap((page) => page.conversations),
  });

export const conversationsQuery = conversationPages("conversations", false);

export const archivedConversationsQuery = conversationPages("archived-conversations", true);

/** A chat in which words were found, with the latest message that has them unless they are in the title only. */
export type ChatHit = Schema<"ConversationHit">;

const searchedChats = (query: string, limit: number, cursor: string | undefined, signal: AbortSignal) =>
  answer(api.GET("/api/ai/conversations/search", { params: { query: { query, limit, cursor } }, signal }));

/** The latest of a person's chats in which words are, deleted ones included. */
export const chatSearchQuery = (query: string, limit: number) =>
  queryOptions({
    queryKey: ["conversation-search", query, limit],
    queryFn: ({ signal }) => searchedChats(query, limit, undefined, signal),
  });

/** The same, page by page. */
export const chatSearchPages = (query: string) =>
  infiniteQueryOptions({
    queryKey: ["conversation-search", query],
    queryFn: ({ signal, pageParam: cursor }) => searchedChats(query, 30, cursor, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: ["conversation", id],
    queryFn: async ({ signal }) => {
      const found = await answer(api.GET("/api/ai/conversations/{id}", { params: { path: { id } }, signal }));
      return { ...found, messages: asMessages(found.messages) };
    },
  });

export const createConversation = (body: Schema<"ApiNewConversation">, key: string) =>
  answer(api.POST("/api/ai/conversations", { params: { header: once(key) }, body }));

export const updateConversation = (id: string, body: Schema<"ApiConversationSettings">, key: string) =>
  answer(api.PATCH("/api/ai/conversations/{id}", { params: { path: { id }, header: once(key) }, body }));

export const archiveConversation = (id: string, key: string) =>
  answer(api.POST("/api/ai/conversations/{id}/archive", { params: { path: { id }, header: once(key) } }));

export const restoreConversation = (id: string, key: string) =>
  answer(api.POST("/api/ai/conversations/{id}/restore", { params: { path: { id }, header: once(key) } }));

/** Answers false when no turn was running. */
export const stopTurn = async (id: string): Promise<boolean> =>
  (await answer(api.POST("/api/ai/chat/{id}/stop", { params: { path: { id } } }))).stopping;
