import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { chatSearchPages, type ChatHit } from "../api/conversations";
import { Button } from "../ui/Button";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { useNow } from "../ui/time";
import { groupByDate } from "./dategroups";

interface ChatSearchProps {
  text: string;
  activeId: string | undefined;
  onOpened: () => void;
}

/** The chats in which words were found, deleted ones too, each with the place where they are. */
export function ChatSearch({ text, activeId, onOpened }: ChatSearchProps) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...chatSearchPages(text),
    placeholderData: keepPreviousData,
  });
  const now = useNow(60_000);
  const hits = data?.pages.flatMap((page) => page.hits);
  const corrected = data?.pages[0]?.corrected;
  return (
    <nav
      aria-label="Chats found"
      className="min-h-0 flex-1 overflow-y-auto px-2 pb-3"
      data-testid="chat-search-results"
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!hits && !error && <SkeletonRows rows={3} />}
      <p className="sr-only" role="status">
        {hits && `${hits.length}${hasNextPage ? " or more" : ""} ${hits.length === 1 ? "chat" : "chats"} found`}
      </p>
      {hits?.length === 0 && (
        <p className="px-2 py-4 text-sm text-muted-foreground" data-testid="chat-search-empty">
          No chat contains all of these words.
        </p>
      )}
      {corrected && (
        <p className="px-2 py-1 text-sm text-muted-foreground" data-testid="chat-search-corrected">
          Nothing found for “{text}”. These have <strong className="font-medium text-foreground">{corrected}</strong>:
        </p>
      )}
      {groupByDate(hits ?? [], (hit) => hit.conversation.updatedAt, now).map(({ label, items }) => (
        <div key={label}>
          <p aria-hidden="true" className="px-3 pt-3 pb-1 text-xs font-medium text-muted-foreground">
            {label}
          </p>
          <ul aria-label={label} className="flex flex-col gap-0.5">
            {items.map((hit) => (
              <li key={hit.conversation.id}>
                <Hit active={hit.conversation.id === activeId} hit={hit} onOpened={onOpened} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} className="mt-1 w-full" onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </nav>
  );
}

function Hit({ hit, active, onOpened }: { hit: ChatHit; active: boolean; onOpened: () => void }) {
  const { conversation, message } = hit;
  return (
    <Link
      aria-current={active ? "page" : undefined}
      className={`block rounded-lg px-3 py-2 transition-colors ${active ? "bg-card shadow-raised dark:bg-muted" : "hover:bg-muted"}`}
      data-testid="chat-hit"
      onClick={onOpened}
      params={{ conversationId: conversation.id }}
      search={{ message: message?.id }}
      to="/chat/$conversationId"
    >
      <span className="flex items-baseline gap-2 text-sm">
        <span className="min-w-0 flex-1 truncate">{conversation.title ?? "Untitled chat"}</span>
        {conversation.archivedAt && <span className="text-xs text-muted-foreground">Deleted</span>}
      </span>
      {message && (
        <span className="line-clamp-2 text-xs wrap-anywhere text-muted-foreground">
          {message.role === "user" && "You: "}
          {message.snippet.map((piece, index) =>
            piece.hit ? (
              // Pieces have no names but their places.
              // oxlint-disable-next-line react/no-array-index-key
              <mark className="rounded-sm bg-primary-soft text-foreground" key={index}>
                {piece.text}
              </mark>
            ) : (
              piece.text
            ),
          )}
        </span>
      )}
    </Link>
  );
}
