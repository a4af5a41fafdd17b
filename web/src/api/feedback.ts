import { queryOptions } from "@tanstack/react-query";
import { answer, api, once, type Schema } from "./client";

export type Feedback = Schema<"FeedbackFeedback">;
export type Verdict = Feedback["verdict"];

/** Feedback of a person on the answers of their chat, by turn. It is read again with the chat. */
export const feedbackQuery = (conversationId: string) =>
  queryOptions({
    queryKey: ["conversation", conversationId, "feedback"],
    queryFn: async ({ signal }) =>
      (
        await answer(
          api.GET("/api/ai/conversations/{id}/feedback", { params: { path: { id: conversationId } }, signal }),
        )
      ).feedback,
  });

export const giveFeedback = (turnId: string, body: Schema<"FeedbackSaid">, key: string) =>
  answer(api.PUT("/api/ai/turns/{id}/feedback", { params: { path: { id: turnId }, header: once(key) }, body }));

export const takeBackFeedback = (turnId: string, key: string) =>
  answer(api.DELETE("/api/ai/turns/{id}/feedback", { params: { path: { id: turnId }, header: once(key) } }));

/** How often people said what lately, for those who look after the assistant. */
export const feedbackCountQuery = queryOptions({
  queryKey: ["turns", "feedback"],
  queryFn: ({ signal }) => answer(api.GET("/api/ai/feedback", { signal })),
});
