import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sharedChatsQuery, type SharedChat } from "../api/shared";
import { ListPage, pagedList } from "../ui/ListPage";
import { timeAgo, useNow } from "../ui/time";

/** The chats that colleagues let me read. */
export function SharedPage() {
  const now = useNow(60_000);
  const list = pagedList(useInfiniteQuery(sharedChatsQuery), (page) => page.chats);
  return (
    <ListPage<SharedChat>
      description="Chats that colleagues share with you. Content beyond your rights is hidden."
      empty={{ title: "No shared chats" }}
      itemKey={(chat) => chat.id}
      list={list}
      name={titleOf}
      noun="chat"
      row={(chat) => (
        <article className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 text-sm" data-testid="shared-row">
          <Link
            className="min-w-0 font-medium wrap-anywhere hover:text-primary"
            params={{ conversationId: chat.id }}
            to="/shared/$conversationId"
          >
            {titleOf(chat)}
          </Link>
          <span className="ml-auto text-muted-foreground">
            {chat.owner.name || "A colleague"}, shared {timeAgo(chat.sharedAt, now)}
          </span>
        </article>
      )}
      testId="shared-page"
      title="Shared with me"
    />
  );
}

const titleOf = (chat: SharedChat) => chat.title || "Untitled chat";
