import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { checksQuery, healthKey, kindsQuery, type Check } from "../api/health";
import { deleteCheck } from "../api/healthcalls";
import { mayOwn } from "../catalog/permission";
import { Badge } from "../ui/Badge";
import { buttonShape } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { ListPage, pagedList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { SearchField } from "../ui/SearchField";
import { ExportLink } from "./ExportLink";
import { count, interval } from "./format";
import { NewCheckLink } from "./NewCheckLink";
import { useHealthPermission } from "./permission";
import { StatusBadge } from "./StatusBadge";
import { targetStatuses } from "./status";

const route = getRouteApi("/app/health/checks");

/** List of health checks. */
export function ChecksPage() {
  const { query = "" } = route.useSearch();
  const navigate = useNavigate();
  const { manage } = useHealthPermission();
  const checks = useInfiniteQuery({ ...checksQuery(query), placeholderData: keepPreviousData });
  return (
    <ListPage
      actions={
        <>
          {!checks.isError && <ExportLink />}
          {manage && (
            <>
              <Link
                className={`${buttonShape} border-input bg-card hover:bg-muted`}
                data-testid="import-checks"
                to="/health/import"
              >
                <Icon name="plus" size={16} />
                Import
              </Link>
              <NewCheckLink />
            </>
          )}
        </>
      }
      description="Checks run for the systems they are assigned to."
      empty={
        query
          ? { title: `No check matches “${query}”`, hint: "Try a shorter word." }
          : { title: "No checks yet", hint: "Create one here, or ask the assistant." }
      }
      filters={
        <SearchField
          label="Search checks"
          onSearch={(text) =>
            void navigate({ to: "/health/checks", search: { query: text || undefined }, replace: true })
          }
          placeholder="Search by name or description"
          testId="check-search"
          value={query}
        />
      }
      history={({ id }) => ({ type: "healthcheck.healthcheck", id })}
      itemKey={({ id }) => id}
      list={pagedList(checks, (page) => page.checks)}
      moreHint={(shown) => `These are the first ${shown}, by name. Search to find others faster.`}
      name={({ name }) => name}
      noun="check"
      removable={mayOwn}
      remove={{
        send: deleteCheck,
        tool: "healthcheck.delete",
        invalidates: [healthKey],
        warning: "Its assignments and history are deleted too. This cannot be undone.",
      }}
      row={(check, actions) => <CheckRow actions={actions} check={check} />}
      title="Checks"
    />
  );
}

function CheckRow({ check, actions }: { check: Check; actions: ReactNode }) {
  const { data: kinds } = useQuery(kindsQuery);
  const strategy = kinds?.strategies.find(({ id }) => id === check.strategyId);
  const { statuses: counts } = check;
  return (
    <Row
      actions={actions}
      badges={
        <>
          {check.paused && <Badge tone="warning">Paused</Badge>}
          {counts &&
            targetStatuses
              .filter((status) => counts[status] > 0)
              .map((status) => <StatusBadge key={status} label={`${counts[status]} ${status}`} status={status} />)}
        </>
      }
      detail={
        <>
          {strategy?.name ?? check.strategyId}, every {interval(check.intervalSeconds)},{" "}
          {check.systems === 0 ? "not assigned, so it does not run" : `for ${count(check.systems, "system")}`}
          {check.description && <span className="block">{check.description}</span>}
        </>
      }
      title={
        <Link
          className="hover:text-primary"
          data-testid="check-link"
          params={{ checkId: check.id }}
          to="/health/checks/$checkId"
        >
          {check.name}
        </Link>
      }
    />
  );
}
