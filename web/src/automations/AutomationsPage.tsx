import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { automationRules, automationsQuery, type AutomationFilter, type ListedAutomation } from "../api/automations";
import { holds, meQuery } from "../api/session";
import { Badge } from "../ui/Badge";
import { buttonShape } from "../ui/Button";
import { SelectFilter, ToggleFilter } from "../ui/Filters";
import { Icon } from "../ui/Icon";
import { ListPage, pagedList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { SearchField } from "../ui/SearchField";
import { fullTime } from "../ui/time";
import { AutomationStatusBadge, RunMarks } from "./Badges";
import { successRate } from "./words";

const route = getRouteApi("/app/automations");

const statuses = [
  { value: undefined, label: "All" },
  { value: "enabled", label: "Enabled" },
  { value: "disabled", label: "Disabled" },
] as const;

/** Everything that acts by itself, with how its last runs ended. */
export function AutomationsPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const automations = useInfiniteQuery({ ...automationsQuery(filter), placeholderData: keepPreviousData });
  const list = pagedList(automations, (page) => page.automations);
  const change = (changes: AutomationFilter, replace = false) =>
    void navigate({ to: "/automations", search: { ...filter, ...changes }, replace });
  const narrowed = Object.values(filter).some((value) => value !== undefined);
  const groups = [...new Set([filter.group, ...(list.items ?? []).map(({ group }) => group)])]
    .filter((group): group is string => group !== undefined && group !== "")
    .toSorted((a, b) => a.localeCompare(b));
  return (
    <ListPage<ListedAutomation>
      actions={
        holds(me, automationRules.manage) && (
          <Link
            className={`${buttonShape} border-transparent bg-primary text-primary-foreground hover:bg-primary-strong`}
            data-testid="new-automation"
            to="/automations/new"
          >
            <Icon name="plus" size={16} />
            New automation
          </Link>
        )
      }
      description="What acts by itself when something happens, and how its last runs ended."
      empty={
        narrowed
          ? { title: "No matching automations", hint: "Change the search or the filters." }
          : { title: "No automations yet", hint: "Write one, or ask the assistant to." }
      }
      filters={
        <>
          <SearchField
            label="Search automations"
            maxLength={200}
            onSearch={(text) => change({ query: text || undefined }, true)}
            placeholder="Search by name"
            testId="automation-search"
            value={filter.query ?? ""}
          />
          <ToggleFilter
            label="Status"
            onChange={(status) => change({ status })}
            options={statuses}
            value={filter.status}
          />
          {groups.length > 0 && (
            <SelectFilter
              label="Group"
              onChange={(group) => change({ group })}
              options={[
                { value: undefined, label: "All groups" },
                ...groups.map((group) => ({ value: group, label: group })),
              ]}
              testId="automation-group"
              value={filter.group}
            />
          )}
        </>
      }
      itemKey={({ id }) => id}
      list={list}
      name={({ name }) => name}
      noun="automation"
      row={(automation) => <AutomationRow automation={automation} />}
      title="Automations"
    />
  );
}

function AutomationRow({ automation }: { automation: ListedAutomation }) {
  const { id, name, status, group, runAs, triggers, nextDue, lastRuns, disabledReason } = automation;
  const rate = successRate(lastRuns);
  return (
    <div data-testid="automation-row">
      <Row
        actions={
          <span className="flex items-center gap-3">
            <span className="text-xs text-muted-foreground tabular-nums">{rate}</span>
            <RunMarks runs={lastRuns} />
          </span>
        }
        badges={
          <>
            <AutomationStatusBadge status={status} />
            {group && <Badge>{group}</Badge>}
          </>
        }
        detail={
          <>
            {triggers.join(", ") || "No trigger"}
            {" · as "}
            {runAs.name || "a deleted application"}
            {nextDue && (
              <>
                {" · next "}
                <time dateTime={nextDue}>{fullTime(nextDue)}</time>
              </>
            )}
            {disabledReason && <span className="block text-warning">{disabledReason}</span>}
          </>
        }
        title={
          <Link
            className="hover:text-primary"
            data-testid="automation-link"
            params={{ automationId: id }}
            to="/automations/$automationId"
          >
            {name}
          </Link>
        }
      />
    </div>
  );
}
