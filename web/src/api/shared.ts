import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, once, type Schema } from "./client";

export type SharedChat = Schema<"ShareChat">;
export type SharedTranscript = Schema<"ShareTranscript">;
export type SharedMessage = Schema<"ShareMessage">;
export type Reader = Schema<"ShareReader">;

export const sharedKey = ["shared"] as const;

/** The chats that colleagues share with me, page by page. */
export const sharedChatsQuery = infiniteQueryOptions({
  queryKey: [...sharedKey, "list"],
  queryFn: ({ signal, pageParam: cursor }) =>
    answer(api.GET("/api/ai/shared", { params: { query: { cursor } }, signal })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.nextCursor,
});

/** One of them, as far as I may see it now. */
export const sharedChatQuery = (id: string) =>
  queryOptions({
    queryKey: [...sharedKey, "one", id],
    queryFn: ({ signal }) => answer(api.GET("/api/ai/shared/{id}", { params: { path: { id } }, signal })),
    staleTime: 0,
  });

/** With whom I share a chat of mine. */
export const readersQuery = (conversationId: string) =>
  queryOptions({
    queryKey: ["conversation", conversationId, "shares"],
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/ai/conversations/{id}/shares", { params: { path: { id: conversationId } }, signal })))
        .people,
  });

export const shareChat = (id: string, email: string) =>
  answer(api.POST("/api/ai/conversations/{id}/shares", { params: { path: { id } }, body: { email } }));

export const unshareChat = (id: string, personId: string, key: string) =>
  answer(
    api.DELETE("/api/ai/conversations/{id}/shares/{personId}", {
      params: { path: { id, personId }, header: once(key) },
    }),
  );
