import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import {
  archivedConversationsQuery,
  archiveConversation,
  conversationQuery,
  conversationsQuery,
  updateConversation,
  type ConversationSummary,
} from "../api/conversations";
import { loaded } from "../api/reach";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, Skeleton } from "../ui/Notice";
import { SearchField } from "../ui/SearchField";
import { timeAgo, useNow } from "../ui/time";
import { ArchivedChats } from "./ArchivedChats";
import { groupByDate } from "./dategroups";
import { awaitsTitle, untilTitled } from "./titles";

const ConfirmDialog = lazy(async () => ({ default: (await loaded(() => import("../ui/Dialog"))).ConfirmDialog }));
const ChatSearch = lazy(async () => ({ default: (await loaded(() => import("./ChatSearch"))).ChatSearch }));

interface ConversationListProps {
  activeId: string | undefined;
  onNewChat: () => void;
  onOpened: () => void;
}

export function ConversationList({ activeId, onNewChat, onOpened }: ConversationListProps) {
  const {
    data: conversations,
    error,
    refetch,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
  } = useInfiniteQuery({
    ...conversationsQuery,
    refetchInterval: untilTitled,
  });
  const [renaming, setRenaming] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<ConversationSummary | null>(null);
  const [archived, setArchived] = useState(false);
  const [search, setSearch] = useState("");
  const now = useNow(60_000);
  // Every message names its chat: one without a name holds none, as its first was refused.
  const listed = conversations?.filter(
    (chat) => chat.title !== null || chat.activeTurnId || chat.id === activeId || awaitsTitle(chat, now),
  );

  return (
    <div className="flex h-full flex-col" data-testid="conversation-list">
      <div className="flex flex-col gap-2 p-3">
        <Button className="w-full" data-testid="new-chat" icon="plus" onClick={onNewChat}>
          New chat
        </Button>
        <SearchField
          label="Search your chats"
          maxLength={200}
          onSearch={setSearch}
          placeholder="Search your chats"
          testId="chat-search"
          value={search}
        />
      </div>
      {search !== "" ? (
        <Suspense fallback={<ListSkeleton />}>
          <ChatSearch activeId={activeId} onOpened={onOpened} text={search} />
        </Suspense>
      ) : archived ? (
        <ArchivedChats activeId={activeId} onOpened={onOpened} />
      ) : (
        <nav aria-label="Conversations" className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
          <ErrorNotice error={error} onRetry={() => void refetch()} />
          {!conversations && !error && <ListSkeleton />}
          {listed?.length === 0 && <p className="px-2 py-4 text-sm text-muted-foreground">No chats yet.</p>}
          {groupByDate(listed ?? [], ({ updatedAt }) => updatedAt, now).map(({ label, items }) => (
            <div data-testid="date-group" key={label}>
              <p aria-hidden="true" className="px-3 pt-3 pb-1 text-xs font-medium text-muted-foreground">
                {label}
              </p>
              <ul aria-label={label} className="flex flex-col gap-0.5">
                {items.map((conversation) => (
                  <li key={conversation.id}>
                    {renaming === conversation.id ? (
                      <RenameForm
                        conversation={conversation}
                        // The answer may come when another one is being renamed already.
                        onDone={() => setRenaming((current) => (current === conversation.id ? null : current))}
                      />
                    ) : (
                      <Row
                        active={conversation.id === activeId}
                        conversation={conversation}
                        now={now}
                        onDelete={() => setDeleting(conversation)}
                        onOpened={onOpened}
                        onRename={() => setRenaming(conversation.id)}
                      />
                    )}
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
      )}
      <footer className="flex items-center justify-between gap-2 border-t px-3 py-1.5 text-xs text-muted-foreground">
        <button
          aria-pressed={archived}
          className="rounded-md px-1 py-1 hover:text-foreground"
          data-testid="toggle-archived"
          onClick={() => setArchived(!archived)}
          type="button"
        >
          {archived ? "Back to your chats" : "Deleted chats"}
        </button>
        {!archived && (
          <Link
            className="rounded-md px-1 py-1 hover:text-foreground"
            data-testid="shared-chats"
            onClick={onOpened}
            to="/shared"
          >
            Shared with me
          </Link>
        )}
        {archived && (
          <a
            className="rounded-md px-1 py-1 hover:text-foreground"
            download="conversations.json"
            href="/api/ai/conversations/export"
          >
            Download all
          </a>
        )}
      </footer>
      <Suspense>
        {deleting && <DeleteDialog activeId={activeId} conversation={deleting} onClose={() => setDeleting(null)} />}
      </Suspense>
    </div>
  );
}

interface RowProps {
  conversation: ConversationSummary;
  active: boolean;
  now: number;
  onOpened: () => void;
  onRename: () => void;
  onDelete: () => void;
}

function Row({ conversation, active, now, onOpened, onRename, onDelete }: RowProps) {
  const title = conversation.title ?? "Untitled chat";
  return (
    <div
      className={
        "group relative flex items-center rounded-lg transition-colors " +
        (active ? "bg-card shadow-raised dark:bg-muted" : "hover:bg-muted")
      }
      data-testid="conversation-row"
    >
      <Link
        aria-current={active ? "page" : undefined}
        className="min-w-0 flex-1 rounded-lg px-3 py-2"
        onClick={onOpened}
        params={{ conversationId: conversation.id }}
        to="/chat/$conversationId"
      >
        <span
          className={
            "block truncate text-sm group-focus-within:pr-14 group-hover:pr-14 pointer-coarse:pr-14 " +
            (active ? "font-medium" : "")
          }
        >
          {title}
        </span>
        <span className="flex items-center gap-1.5 text-xs text-muted-foreground">
          {conversation.activeTurnId && (
            <span className="size-1.5 animate-pulse rounded-full bg-primary" title="Answering">
              <span className="sr-only">Answering</span>
            </span>
          )}
          {timeAgo(conversation.updatedAt, now)}
        </span>
      </Link>
      <span
        className={
          "absolute top-1.5 right-1 flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 " +
          "pointer-coarse:opacity-100"
        }
      >
        <IconButton className="size-7" icon="pencil" label={`Rename ${title}`} onClick={onRename} />
        <IconButton
          className="size-7"
          data-testid="delete-conversation"
          icon="trash"
          label={`Delete ${title}`}
          onClick={onDelete}
        />
      </span>
    </div>
  );
}

function RenameForm({ conversation, onDone }: { conversation: ConversationSummary; onDone: () => void }) {
  const [title, setTitle] = useState(conversation.title ?? "");
  const rename = useWrite({
    send: (changes: { title: string }, key) => updateConversation(conversation.id, changes, key),
    invalidates: [conversationsQuery.queryKey, conversationQuery(conversation.id).queryKey],
    onSuccess: onDone,
  });
  const submit = () => {
    if (rename.isPending) return;
    const trimmed = title.trim();
    if (trimmed === "" || trimmed === conversation.title) onDone();
    else rename.mutate({ title: trimmed });
  };
  return (
    <form
      className="p-1"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <input
        aria-label="Title"
        // The field replaces the row that was just clicked.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        className="w-full rounded-md border border-input bg-card px-2 py-1.5 text-sm"
        data-testid="rename-input"
        maxLength={200}
        onBlur={submit}
        onChange={(event) => setTitle(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && onDone()}
        readOnly={rename.isPending}
        value={title}
      />
      <ErrorNotice className="mt-1" error={rename.error} />
    </form>
  );
}

interface DeleteDialogProps {
  conversation: ConversationSummary;
  activeId: string | undefined;
  onClose: () => void;
}

function DeleteDialog({ conversation, activeId, onClose }: DeleteDialogProps) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const archive = useWrite({
    send: archiveConversation,
    onSuccess: (_, id) => {
      queryClient.setQueryData(
        conversationsQuery.queryKey,
        (known) =>
          known && {
            ...known,
            pages: known.pages.map((page) => ({
              ...page,
              conversations: page.conversations.filter((other) => other.id !== id),
            })),
          },
      );
      void queryClient.invalidateQueries({ queryKey: conversationsQuery.queryKey });
      void queryClient.invalidateQueries({ queryKey: archivedConversationsQuery.queryKey });
      if (id === activeId) void navigate({ to: "/chat" });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      busy={archive.isPending}
      confirmLabel="Delete"
      error={archive.error}
      onClose={onClose}
      onConfirm={() => archive.mutate(conversation.id)}
      title="Delete this chat?"
    >
      “{conversation.title ?? "Untitled chat"}” moves to “Deleted chats”.
    </ConfirmDialog>
  );
}

function ListSkeleton() {
  return (
    <div aria-label="Loading" className="flex flex-col gap-3 p-2" role="status">
      {["a", "b", "c"].map((row) => (
        <Skeleton className="h-8" key={row} />
      ))}
    </div>
  );
}
