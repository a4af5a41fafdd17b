import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent } from "react";
import { systemTagsQuery } from "../api/catalog";
import { boardQuery, type BoardRow } from "../api/health";
import { SelectFilter } from "../ui/Filters";
import { ListPage, pagedList } from "../ui/ListPage";
import { SearchField } from "../ui/SearchField";
import { useNow } from "../ui/time";
import { Days } from "./Days";
import { count, lasting } from "./format";
import { useLive } from "./live";
import { NewCheckLink } from "./NewCheckLink";
import { useHealthPermission } from "./permission";
import { Sparkline } from "./Sparkline";
import { StatusBadge } from "./StatusBadge";
import { statuses, statusWords, type Status } from "./status";

const route = getRouteApi("/app/health/systems");

const statusOptions: { value: Status | undefined; label: string }[] = [
  { value: undefined, label: "Any status" },
  ...statuses.map((value) => ({ value, label: statusWords[value].label })),
];

/** A board of more pages than this is read again more rarely. */
const fewPages = 3;

/** How every system is now, why, and how it has been. */
export function BoardPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { manage } = useHealthPermission();
  const now = useNow(30_000);
  const pause = useLive();
  const board = useInfiniteQuery({
    ...boardQuery(search),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pause * ((state.data?.pages.length ?? 0) > fewPages ? 6 : 1),
  });
  const { data: tags } = useQuery(systemTagsQuery);
  const go = (change: Partial<typeof search>) =>
    void navigate({ to: "/health/systems", search: { ...search, ...change }, replace: true });
  const filtered = Boolean(search.query || search.tag || search.status);
  return (
    <div className="h-full" onKeyDown={moveBetweenRows} role="presentation">
      <ListPage
        actions={manage && <NewCheckLink />}
        description="Current and past status of your systems."
        empty={
          filtered
            ? { title: "No system matches", hint: "Try fewer filters." }
            : { title: "No systems yet", hint: "Add a system to the catalog, then check it." }
        }
        filters={
          <>
            <SearchField
              label="Search systems"
              onSearch={(text) => go({ query: text || undefined })}
              placeholder="Search by name"
              testId="board-search"
              value={search.query ?? ""}
            />
            <SelectFilter
              label="Status"
              onChange={(status) => go({ status })}
              options={statusOptions}
              testId="board-status"
              value={search.status}
            />
            {tags && tags.length > 0 && (
              <SelectFilter
                label="Tag"
                onChange={(tag) => go({ tag })}
                options={[{ value: undefined, label: "Any tag" }, ...tags.map((tag) => ({ value: tag, label: tag }))]}
                testId="board-tag"
                value={search.tag}
              />
            )}
          </>
        }
        itemKey={({ systemId }) => systemId}
        list={pagedList(board, (page) => page.systems)}
        moreHint={(shown) => `These are the first ${shown}, by name. Filter to find others faster.`}
        name={({ systemName }) => systemName}
        noun="system"
        row={(row) => <SystemRow now={now} row={row} />}
        testId="board"
        title="Health"
      />
    </div>
  );
}

function SystemRow({ row, now }: { row: BoardRow; now: number }) {
  return (
    <div
      className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-4 py-3 md:grid-cols-[minmax(0,1fr)_17rem_9rem]"
      data-status={row.status}
      data-testid="board-row"
    >
      <div className="col-span-2 min-w-0 md:col-span-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            className="min-w-0 font-medium wrap-anywhere hover:text-primary"
            data-row-link
            params={{ systemId: row.systemId }}
            search={{}}
            to="/health/systems/$systemId"
          >
            {row.systemName}
          </Link>
          <StatusBadge status={row.status} />
        </div>
        <p className="text-sm text-muted-foreground wrap-anywhere">
          {row.reason || (row.checks === 0 ? "No checks." : count(row.checks, "check"))}
          {row.since && row.status !== "unknown" && (
            <span className="whitespace-nowrap"> · for {lasting(now - Date.parse(row.since))}</span>
          )}
        </p>
      </div>
      <div className="min-w-0">
        <Days days={row.days} name={row.systemName} />
      </div>
      <div className="justify-self-end md:justify-self-start">
        <Sparkline label={`Latency of ${row.systemName} over 24 hours`} values={row.latency} />
      </div>
    </div>
  );
}

/** The arrow keys go from system to system. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row-link]")];
  const at = links.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  event.preventDefault();
  links[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
}
