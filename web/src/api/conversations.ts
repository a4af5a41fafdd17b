import { queryOptions } from "@tanstack/react-query";
import type { UIMessage } from "ai";
import { request } from "./client";
import type { AppliedCard, ProposalCard } from "./proposals";

export type PermissionMode = "approve" | "auto";

export interface ConversationSummary {
  id: string;
  title: string | null;
  connectionId: string | null;
  model: string | null;
  permissionMode: PermissionMode;
  createdAt: string;
  updatedAt: string;
  activeTurnId: string | null;
  archivedAt?: string | null;
}

export interface TurnError {
  code: string;
  message: string;
}

export interface RetryNotice {
  kind: string;
  message: string;
  retryAfterSeconds?: number;
  attempt?: number;
}

export interface MessageMetadata {
  createdAt?: string;
  turnId?: string;
  status?: "running" | "done" | "stopped" | "failed";
  model?: string;
  usage?: { inputTokens?: number; outputTokens?: number };
  error?: TurnError;
}

/** What the assistant wants to know before it goes on. */
export interface QuestionData {
  question: string;
  options: { label: string; value?: string }[];
  allowFreeText: boolean;
}

type MessageData = {
  proposal: ProposalCard;
  applied: AppliedCard;
  notice: RetryNotice;
  error: TurnError;
  question: QuestionData;
};

export type ChatMessage = UIMessage<MessageMetadata, MessageData>;

export interface Conversation extends ConversationSummary {
  messages: ChatMessage[];
}

export type ConversationDraft = Partial<Pick<ConversationSummary, "connectionId" | "model" | "permissionMode">>;

export const conversationsQuery = queryOptions({
  queryKey: ["conversations"],
  queryFn: async ({ signal }) => {
    const answer = await request<{ conversations: ConversationSummary[] }>("GET", "/api/ai/conversations", { signal });
    return answer.conversations;
  },
});

export const archivedConversationsQuery = queryOptions({
  queryKey: ["archived-conversations"],
  queryFn: async ({ signal }) => {
    const answer = await request<{ conversations: ConversationSummary[] }>(
      "GET",
      "/api/ai/conversations?archived=true",
      { signal },
    );
    return answer.conversations;
  },
});

export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: ["conversation", id],
    queryFn: ({ signal }) => request<Conversation>("GET", `/api/ai/conversations/${id}`, { signal }),
  });

export const createConversation = (draft: ConversationDraft & { reuseDraft?: boolean }, idempotencyKey: string) =>
  request<ConversationSummary>("POST", "/api/ai/conversations", { body: draft, idempotencyKey });

export const updateConversation = (
  id: string,
  changes: ConversationDraft & { title?: string },
  idempotencyKey: string,
) => request<ConversationSummary>("PATCH", `/api/ai/conversations/${id}`, { body: changes, idempotencyKey });

export const archiveConversation = (id: string, idempotencyKey: string) =>
  request<void>("POST", `/api/ai/conversations/${id}/archive`, { idempotencyKey });

export const restoreConversation = (id: string, idempotencyKey: string) =>
  request<void>("POST", `/api/ai/conversations/${id}/restore`, { idempotencyKey });

/** Answers false when no turn was running. */
export const stopTurn = async (conversationId: string): Promise<boolean> =>
  (await request<{ stopping: boolean }>("POST", `/api/ai/chat/${conversationId}/stop`)).stopping;
