import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { groupsQuery, systemTagsQuery } from "../../api/catalog";
import { boardQuery } from "../../api/health";
import { SelectFilter, ToggleFilter } from "../../ui/Filters";
import { EmptyState, ErrorNotice, SkeletonRows } from "../../ui/Notice";
import { Page } from "../../ui/Page";
import { SearchField } from "../../ui/SearchField";
import { useNow } from "../../ui/time";
import { useLive } from "../live";
import { NewCheckLink } from "../NewCheckLink";
import { useHealthPermission } from "../permission";
import { BoardList } from "./BoardList";
import { entriesOf, type SectionsBy } from "./sections";
import { StatusCounts } from "./StatusCounts";

const route = getRouteApi("/app/health/systems");

const sectionOptions: { value: SectionsBy | "none"; label: string }[] = [
  { value: "none", label: "One list" },
  { value: "group", label: "By group" },
  { value: "tag", label: "By tag" },
];

/** How every system is now and why, the worst first, and how it has been. */
export function BoardPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { manage } = useHealthPermission();
  const now = useNow(30_000);
  const { query, tag, group, status, by } = search;
  const board = useInfiniteQuery({
    ...boardQuery({ query, tag, status, groupId: group }),
    placeholderData: keepPreviousData,
    refetchInterval: useLive(),
  });
  const { data: tags } = useQuery(systemTagsQuery);
  const { data: groups } = useQuery(groupsQuery);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const go = (change: Partial<typeof search>) =>
    void navigate({ to: "/health/systems", search: { ...search, ...change }, replace: true });
  const pages = board.data?.pages;
  const first = pages?.[0];
  const entries = useMemo(() => {
    // A system that changed its status between two pages is on both.
    const rows = new Map(pages?.flatMap(({ systems }) => systems).map((row) => [row.systemId, row]));
    return entriesOf([...rows.values()], pages?.flatMap((page) => page.groups) ?? [], by, collapsed);
  }, [pages, by, collapsed]);
  const { hasNextPage, isFetching, error, fetchNextPage } = board;
  const more = hasNextPage && !isFetching && !error ? fetchNextPage : undefined;
  // Sections are of all systems, and a page can have none that the filters leave.
  const whole = by !== undefined || entries.length === 0;
  useEffect(() => {
    if (whole && more) void more();
  }, [whole, more]);
  return (
    <Page actions={manage && <NewCheckLink />} testId="board" title="Health" wide>
      <div className="flex flex-col gap-5" data-board>
        <StatusCounts
          counts={first?.counts}
          onChange={(chosen) => go({ status: chosen === status ? undefined : chosen })}
          value={status}
        />
        <div className="flex flex-wrap items-center gap-3">
          <SearchField
            label="Search systems"
            onSearch={(text) => go({ query: text || undefined })}
            placeholder="Search by name"
            testId="board-search"
            value={query ?? ""}
          />
          {groups && groups.length > 0 && (
            <SelectFilter
              label="Group"
              onChange={(chosen) => go({ group: chosen })}
              options={[
                { value: undefined, label: "Any group" },
                ...groups.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              testId="board-group"
              value={group}
            />
          )}
          {tags && tags.length > 0 && (
            <SelectFilter
              label="Tag"
              onChange={(chosen) => go({ tag: chosen })}
              options={[{ value: undefined, label: "Any tag" }, ...tags.map((one) => ({ value: one, label: one }))]}
              testId="board-tag"
              value={tag}
            />
          )}
          <ToggleFilter
            label="Sections"
            onChange={(chosen) => {
              setCollapsed(new Set());
              go({ by: chosen === "none" ? undefined : chosen });
            }}
            options={sectionOptions}
            testId="board-sections"
            value={by ?? "none"}
          />
        </div>
        <ErrorNotice error={error} onRetry={() => void board.refetch()} />
        {error && pages && (
          <p className="-mt-3 text-sm text-muted-foreground" data-testid="board-outdated">
            The board is as it was at {new Date(board.dataUpdatedAt).toLocaleTimeString()}.
          </p>
        )}
        {first?.partial && (
          <p className="text-sm text-muted-foreground" data-testid="board-partial" role="note">
            Order and counts are those of 10,000 systems at a time, by name. Narrow the selection to compare all of it.
          </p>
        )}
        {entries.length === 0 && (!pages || hasNextPage) && !error && <SkeletonRows rows={8} />}
        {pages && entries.length === 0 && !hasNextPage && (
          <EmptyState title={query || tag || group || status ? "No system matches" : "No systems yet"}>
            {query || tag || group || status ? "Try fewer filters." : "Add a system to the catalog, then check it."}
          </EmptyState>
        )}
        {entries.length > 0 && (
          <BoardList
            complete={!hasNextPage}
            entries={entries}
            key={JSON.stringify([query, tag, group, status, by])}
            more={more && (() => void more())}
            now={now}
            onToggle={(key) =>
              setCollapsed((before) => {
                const next = new Set(before);
                if (!next.delete(key)) next.add(key);
                return next;
              })
            }
            outdated={board.isPlaceholderData}
          />
        )}
      </div>
    </Page>
  );
}
