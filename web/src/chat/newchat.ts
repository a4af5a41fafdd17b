import type { ConversationSummary } from "../api/conversations";

/**
 * Whether "New chat" needs a new conversation. An open draft without title and
 * messages is used again, so that clicking twice leaves no empty rows behind.
 */
export function decideNewChatAction(
  current: Pick<ConversationSummary, "title"> | undefined,
  messageCount: number,
): "reuse" | "create" {
  return current && current.title === null && messageCount === 0 ? "reuse" : "create";
}
