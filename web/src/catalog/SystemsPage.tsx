import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { systemsQuery, type System } from "../api/catalog";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { useToast } from "../ui/Toast";
import { useCatalogPermission } from "./permission";
import { SystemForm } from "./SystemForm";

const route = getRouteApi("/app/catalog/systems");
const typingPauseMilliseconds = 200;

export function SystemsPage() {
  const { query = "" } = route.useSearch();
  const navigate = useNavigate();
  const toast = useToast();
  const permission = useCatalogPermission();
  const [creating, setCreating] = useState(false);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...systemsQuery(query),
    placeholderData: keepPreviousData,
  });
  const systems = data?.pages.flatMap((page) => page.systems);

  return (
    <Page
      actions={
        permission.createSystems && (
          <Button data-testid="new-system" icon="plus" onClick={() => setCreating(true)} variant="primary">
            New system
          </Button>
        )
      }
      description="What you operate, and who owns it."
      testId="systems-page"
      title="Systems"
    >
      <SearchBox query={query} />
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!systems && !error && <SkeletonRows />}
      {systems?.length === 0 && (
        <EmptyState title={query ? `No system matches “${query}”` : "No systems yet"}>
          {query ? "Try a shorter word." : "Create one here, or ask the assistant to add it."}
        </EmptyState>
      )}
      {systems && systems.length > 0 && (
        <Rows label="Systems">
          {systems.map((system) => (
            <SystemRow key={system.id} system={system} />
          ))}
        </Rows>
      )}
      {hasNextPage && (
        <div className="flex flex-col items-center gap-1.5">
          <p className="text-sm text-muted-foreground" data-testid="systems-shown">
            These are the first {systems?.length}, by name. Search to find others faster.
          </p>
          <Button busy={isFetchingNextPage} data-testid="more-systems" onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      {creating && (
        <SystemForm
          onClose={() => setCreating(false)}
          onSaved={(system) => {
            toast(`${system.name} was created`);
            void navigate({ to: "/catalog/systems/$systemId", params: { systemId: system.id } });
          }}
        />
      )}
    </Page>
  );
}

function SystemRow({ system }: { system: System }) {
  const owners = (system.owners ?? []).map((owner) => owner.teamName).join(", ");
  return (
    <Row
      actions={<span className="text-sm text-muted-foreground">{owners || "No owner"}</span>}
      badges={(system.tags ?? []).map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      detail={system.description || undefined}
      title={
        <Link
          className="hover:text-primary"
          data-testid="system-link"
          params={{ systemId: system.id }}
          to="/catalog/systems/$systemId"
        >
          {system.name}
        </Link>
      }
    />
  );
}

/** Keeps the search in the address, so that it can be shared and survives a reload. */
function SearchBox({ query }: { query: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(query);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      if (text !== query)
        void navigate({ to: "/catalog/systems", search: { query: text || undefined }, replace: true });
    }, typingPauseMilliseconds);
    return () => window.clearTimeout(timer);
  }, [text, query, navigate]);
  return (
    <label className="relative block max-w-md">
      <span className="sr-only">Search systems</span>
      <Icon className="absolute top-2.5 left-3 text-muted-foreground" name="search" size={16} />
      <input
        className="w-full rounded-lg border border-input bg-card py-2 pr-3 pl-9 text-sm"
        data-testid="system-search"
        onChange={(event) => setText(event.currentTarget.value)}
        placeholder="Search by name, description or tag"
        type="search"
        value={text}
      />
    </label>
  );
}
