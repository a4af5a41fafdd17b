import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import {
  maintenanceRules,
  maintenancesQuery,
  type ListedMaintenance,
  type MaintenanceFilter,
} from "../api/maintenances";
import { holds, meQuery } from "../api/session";
import { SystemPicker } from "../health/SystemPicker";
import { buttonShape } from "../ui/Button";
import { ToggleFilter } from "../ui/Filters";
import { ListPage, pagedList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { SearchField } from "../ui/SearchField";
import { useToast } from "../ui/Toast";
import { MaintenanceStatusBadge } from "./Badges";
import { MaintenanceForm } from "./MaintenanceForm";
import { span } from "./words";

const route = getRouteApi("/app/maintenances");

const states = [
  { value: undefined, label: "All" },
  { value: "open", label: "Open" },
  { value: "over", label: "Over" },
] as const;

/** Planned work, what is under way and what was. */
export function MaintenancesPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const toast = useToast();
  const { data: me } = useQuery(meQuery);
  const maintenances = useInfiniteQuery({ ...maintenancesQuery(filter), placeholderData: keepPreviousData });
  const change = (changes: MaintenanceFilter, replace = false) =>
    void navigate({ to: "/maintenances", search: { ...filter, ...changes }, replace });
  const narrowed = Object.values(filter).some((value) => value !== undefined);
  return (
    <ListPage<ListedMaintenance>
      create={
        holds(me, maintenanceRules.manage)
          ? (close) => (
              <MaintenanceForm
                onClose={close}
                onSaved={({ id }) => {
                  toast("Maintenance scheduled");
                  void navigate({ to: "/maintenances/$maintenanceId", params: { maintenanceId: id } });
                }}
                systemId={filter.systemId}
              />
            )
          : undefined
      }
      description="Planned work on your systems, what is under way, and what was."
      empty={
        narrowed
          ? { title: "No matching maintenances", hint: "Change the search or the filters." }
          : { title: "No maintenances yet", hint: "Schedule one, or ask the assistant to." }
      }
      filters={
        <>
          <SearchField
            label="Search maintenances"
            onSearch={(text) => change({ query: text || undefined }, true)}
            placeholder="Search by title or description"
            testId="maintenance-search"
            value={filter.query ?? ""}
          />
          <ToggleFilter label="State" onChange={(state) => change({ state })} options={states} value={filter.state} />
          <div className="w-full sm:w-60">
            <SystemPicker
              label="System"
              onChange={(id) => change({ systemId: id || undefined })}
              value={filter.systemId ?? ""}
            />
          </div>
          <Link
            className={`${buttonShape} border-input bg-card hover:bg-muted`}
            data-testid="calendar-link"
            search={{}}
            to="/maintenances/calendar"
          >
            Calendar
          </Link>
        </>
      }
      itemKey={({ id }) => id}
      list={pagedList(maintenances, (page) => page.maintenances)}
      name={({ title }) => title}
      noun="maintenance"
      row={(maintenance) => <MaintenanceRow maintenance={maintenance} />}
      title="Maintenances"
    />
  );
}

function MaintenanceRow({ maintenance }: { maintenance: ListedMaintenance }) {
  const { id, title, status, systems, occurrence, recurrence } = maintenance;
  return (
    <div data-testid="maintenance-row">
      <Row
        badges={<MaintenanceStatusBadge status={status} />}
        detail={
          <>
            {systems.map(({ name }) => name).join(", ") || "No system"}
            {" · "}
            <time dateTime={occurrence.startAt}>{span(occurrence.startAt, occurrence.endAt)}</time>
            {recurrence && ` · ${recurrence}`}
          </>
        }
        title={
          <Link
            className="hover:text-primary"
            data-testid="maintenance-link"
            params={{ maintenanceId: id }}
            to="/maintenances/$maintenanceId"
          >
            {title}
          </Link>
        }
      />
    </div>
  );
}
