import { infiniteQueryOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import { answer, api, once, type Schema } from "./client";
import { asMessages, type ChatMessage } from "./protocol";

export type { ChatMessage };
export type ConversationSummary = Schema<"ConversationConversation">;
export type Conversation = Omit<Schema<"ApiTranscript">, "messages"> & { messages: ChatMessage[] };
export type PermissionMode = ConversationSummary["permissionMode"];
export type TurnError = Schema<"TurnFailure">;
/** A delay, which is shown while it lasts, or a loss, which stays in the message. */
export type TurnNotice = Schema<"TurnNotice">;

/** Question that the assistant asks before it continues. */
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

/** Messages that are read at first: more than fit on a screen. */
const newestMessages = 50;

/** As many as the server gives at once. */
const mostMessages = 500;

async function readConversation(id: string, query: { limit: number; cursor?: string }, signal?: AbortSignal) {
  const found = await answer(api.GET("/api/ai/conversations/{id}", { params: { path: { id }, query }, signal }));
  return { ...found, messages: asMessages(found.messages) };
}

/** A chat with its newest messages, behind what was read of those before them, to which nextCursor leads. */
export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: ["conversation", id],
    queryFn: async ({ client, queryKey, signal }) =>
      withEarlier(
        await readConversation(id, { limit: newestMessages }, signal),
        client.getQueryData<Conversation>(queryKey),
      ),
  });

/** Puts newly read messages behind the known earlier ones. */
export function withEarlier(read: Conversation, known: Conversation | undefined): Conversation {
  const first = read.nextCursor && read.messages[0]?.id;
  const at = first ? (known?.messages.findIndex(({ id }) => id === first) ?? -1) : -1;
  // A range that does not connect would leave a gap.
  if (!known || at < 0) return read;
  return { ...read, messages: [...known.messages.slice(0, at), ...read.messages], nextCursor: known.nextCursor };
}

/** Reads messages before those that are known, into what conversationQuery holds: some, or as many as the server gives at once. */
export async function readEarlier(client: QueryClient, id: string, cursor: string, many = false): Promise<void> {
  const limit = many ? mostMessages : 2 * newestMessages;
  const { messages, nextCursor } = await readConversation(id, { limit, cursor });
  client.setQueryData(conversationQuery(id).queryKey, (known) =>
    known?.nextCursor === cursor ? { ...known, messages: [...messages, ...known.messages], nextCursor } : known,
  );
}

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
