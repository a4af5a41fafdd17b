import { useInfiniteQuery } from "@tanstack/react-query";
import { serverNow } from "../api/clock";
import { heard } from "../changes/heard";
import { conversationsQuery, type ConversationSummary } from "../api/conversations";

interface Listed {
  state: { data: { pages: { conversations: ConversationSummary[] }[] } | undefined };
}

/**
 * Poll interval of the list while the stream is disconnected: a title is written beside the first answer, and may come
 * after its end.
 */
export const untilTitled = ({ state }: Listed): number | false =>
  !heard() && state.data?.pages[0]?.conversations.some((conversation) => awaitsTitle(conversation)) ? 2_000 : false;

/**
 * True for a while after a chat has begun whose title is missing, as its first message may be on the way, or is the cut
 * beginning of that message, in whose place a model may put a better one.
 */
export function awaitsTitle({ title, updatedAt }: ConversationSummary, now = serverNow()): boolean {
  const age = now - Date.parse(updatedAt);
  return title === null ? age < 20_000 : title.endsWith("…") && age < 75_000;
}

/** The title of an open conversation, also one that was written after it was read. */
export function useTitle({ id, title }: ConversationSummary): string | null {
  const { data } = useInfiniteQuery({ ...conversationsQuery, refetchInterval: untilTitled });
  return data?.find((listed) => listed.id === id)?.title ?? title;
}
