import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { memoriesQuery, type MemoryFilter, type MemoryScope } from "../api/memories";
import { holds, meQuery } from "../api/session";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Rows } from "../ui/Rows";
import { useToast } from "../ui/Toast";
import { emptyText } from "./describe";
import { MemoryForm } from "./MemoryForm";
import { MemoryRow } from "./MemoryRow";

const route = getRouteApi("/app/memory");
const typingPauseMilliseconds = 200;

const scopes: { scope?: MemoryScope; label: string }[] = [
  { label: "All" },
  { scope: "user", label: "Only me" },
  { scope: "system", label: "Shared on systems" },
];

export function MemoryPage() {
  const filter = route.useSearch();
  const toast = useToast();
  const { data: me } = useQuery(meQuery);
  const writable = holds(me, "ai.memory.manage");
  const [adding, setAdding] = useState(false);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...memoriesQuery(filter),
    placeholderData: keepPreviousData,
  });
  const memories = data?.pages.flatMap((page) => page.memories);
  const empty = emptyText(filter);

  return (
    <Page
      actions={
        writable && (
          <Button data-testid="new-memory" icon="plus" onClick={() => setAdding(true)} variant="primary">
            Add memory
          </Button>
        )
      }
      description="What the assistant remembers between conversations: for you, and on the systems that you may see."
      testId="memory-page"
      title="Assistant memory"
    >
      <Filters filter={filter} />
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!memories && !error && <SkeletonRows />}
      {memories?.length === 0 && <EmptyState title={empty.title}>{empty.hint}</EmptyState>}
      {memories && memories.length > 0 && (
        <Rows label="Memories">
          {memories.map((memory) => (
            <MemoryRow key={memory.id} memory={memory} writable={writable} />
          ))}
        </Rows>
      )}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} className="self-center" onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
      {adding && (
        <MemoryForm
          onClose={() => setAdding(false)}
          onSaved={() => {
            toast("The assistant remembers it");
            setAdding(false);
          }}
        />
      )}
    </Page>
  );
}

/** Keeps search and scope in the address, so that they survive a reload. */
function Filters({ filter }: { filter: MemoryFilter }) {
  const navigate = useNavigate();
  const [text, setText] = useState(filter.query ?? "");
  const { query = "", scope } = filter;
  useEffect(() => {
    const timer = window.setTimeout(() => {
      if (text.trim() !== query)
        void navigate({ to: "/memory", search: { scope, query: text.trim() || undefined }, replace: true });
    }, typingPauseMilliseconds);
    return () => window.clearTimeout(timer);
  }, [text, query, scope, navigate]);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <label className="relative block min-w-56 flex-1 sm:max-w-md">
        <span className="sr-only">Search memories</span>
        <Icon className="absolute top-2.5 left-3 text-muted-foreground" name="search" size={16} />
        <input
          className="w-full rounded-lg border border-input bg-card py-2 pr-3 pl-9 text-sm"
          data-testid="memory-search"
          maxLength={400}
          onChange={(event) => setText(event.currentTarget.value)}
          placeholder="Search by topic, content or tag"
          type="search"
          value={text}
        />
      </label>
      <div aria-label="Scope" className="flex gap-1 rounded-lg border bg-card p-1" role="group">
        {scopes.map((choice) => (
          <button
            aria-pressed={choice.scope === scope}
            className="rounded-md px-2.5 py-1 text-sm text-muted-foreground hover:text-foreground aria-pressed:bg-primary-soft aria-pressed:text-primary"
            key={choice.label}
            onClick={() => void navigate({ to: "/memory", search: { query: query || undefined, scope: choice.scope } })}
            type="button"
          >
            {choice.label}
          </button>
        ))}
      </div>
    </div>
  );
}
