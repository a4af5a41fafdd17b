import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  archivedConversationsQuery,
  conversationQuery,
  conversationsQuery,
  restoreConversation,
  type ConversationSummary,
} from "../api/conversations";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { timeAgo, useNow } from "../ui/time";

/** The chats that a person has deleted from their list, to read or to bring back. */
export function ArchivedChats({ activeId, onOpened }: { activeId: string | undefined; onOpened: () => void }) {
  const {
    data: conversations,
    error,
    refetch,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
  } = useInfiniteQuery(archivedConversationsQuery);
  const now = useNow(60_000);
  return (
    <nav aria-label="Deleted chats" className="min-h-0 flex-1 overflow-y-auto px-2 pb-3" data-testid="archived-list">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!conversations && !error && <SkeletonRows rows={3} />}
      {conversations?.length === 0 && <p className="px-2 py-4 text-sm text-muted-foreground">No deleted chats.</p>}
      <ul className="flex flex-col gap-0.5">
        {conversations?.map((conversation) => (
          <ArchivedRow
            active={conversation.id === activeId}
            conversation={conversation}
            key={conversation.id}
            now={now}
            onOpened={onOpened}
          />
        ))}
      </ul>
      {hasNextPage && (
        <Button busy={isFetchingNextPage} className="mt-1 w-full" onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </nav>
  );
}

interface ArchivedRowProps {
  conversation: ConversationSummary;
  active: boolean;
  now: number;
  onOpened: () => void;
}

function ArchivedRow({ conversation, active, now, onOpened }: ArchivedRowProps) {
  const title = conversation.title ?? "Untitled chat";
  const restore = useWrite({
    send: restoreConversation,
    invalidates: [
      archivedConversationsQuery.queryKey,
      conversationsQuery.queryKey,
      conversationQuery(conversation.id).queryKey,
    ],
  });
  return (
    <li
      className={`flex items-center rounded-lg transition-colors ${active ? "bg-card shadow-raised dark:bg-muted" : "hover:bg-muted"}`}
    >
      <Link
        className="min-w-0 flex-1 rounded-lg px-3 py-2"
        onClick={onOpened}
        params={{ conversationId: conversation.id }}
        to="/chat/$conversationId"
      >
        <span className="block truncate text-sm">{title}</span>
        <span className="text-xs text-muted-foreground">
          deleted {timeAgo(conversation.archivedAt ?? conversation.updatedAt, now)}
        </span>
        <ErrorNotice error={restore.error} />
      </Link>
      <IconButton
        className="mr-1 size-7"
        data-testid="restore-conversation"
        busy={restore.isPending}
        icon="repeat"
        label={`Restore ${title}`}
        onClick={() => restore.mutate(conversation.id)}
      />
    </li>
  );
}
