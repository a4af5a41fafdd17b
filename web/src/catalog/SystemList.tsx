import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { systemsQuery, type System, type SystemFilter } from "../api/catalog";
import { Problem } from "../api/problem";
import { Button } from "../ui/Button";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Rows } from "../ui/Rows";
import { SystemRow } from "./SystemRow";
import { useSystemTotal } from "./systemtotal";

interface SystemListProps {
  /** Whose systems: of a group, an environment or a team. */
  filter: SystemFilter;
  empty: string;
  actions?: ReactNode;
  /** The buttons of one system. */
  row?: (system: System) => ReactNode;
}

/** The systems of a thing, on its page. */
export function SystemList({ filter, empty, actions, row }: SystemListProps) {
  const query = useInfiniteQuery({ ...systemsQuery(filter), placeholderData: keepPreviousData });
  const systems = query.data?.pages.flatMap((page) => page.systems);
  const total = useSystemTotal(filter, systems, query.hasNextPage);
  // Readers without access to systems do not learn that some exist.
  if (query.error instanceof Problem && query.error.status === 403) return null;
  return (
    <section className="flex flex-col gap-3" data-testid="systems-of">
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">
          Systems {total && <span className="ml-1 text-sm font-normal text-muted-foreground">{total}</span>}
        </h2>
        <div className="flex flex-wrap items-center gap-2">
          {systems && systems.length > 0 && (
            <Link className="text-sm text-primary underline underline-offset-2" search={filter} to="/catalog/systems">
              Search and filter them
            </Link>
          )}
          {actions}
        </div>
      </header>
      <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      {!systems && !query.error && <SkeletonRows rows={3} />}
      {systems?.length === 0 && <p className="text-sm text-muted-foreground">{empty}</p>}
      {systems && systems.length > 0 && (
        <Rows itemKey={({ id }) => id} items={systems} label="Systems">
          {(system) => <SystemRow actions={row?.(system)} system={system} />}
        </Rows>
      )}
      {query.hasNextPage && (
        <div className="flex justify-center">
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </section>
  );
}
