import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { incidentRules, incidentsQuery, type IncidentFilter, type ListedIncident } from "../api/incidents";
import { holds, meQuery } from "../api/session";
import { SystemPicker } from "../health/SystemPicker";
import { SelectFilter, ToggleFilter } from "../ui/Filters";
import { ListPage, pagedList } from "../ui/ListPage";
import { ErrorNotice } from "../ui/Notice";
import { SearchField } from "../ui/SearchField";
import { useNow } from "../ui/time";
import { useToast } from "../ui/Toast";
import { AcknowledgeButton, canAcknowledge } from "./AcknowledgeButton";
import { BulkActions } from "./BulkActions";
import { IncidentForm } from "./IncidentForm";
import { IncidentRow } from "./IncidentRow";

const route = getRouteApi("/app/incidents");

const states = [
  { value: undefined, label: "All" },
  { value: "open", label: "Open" },
  { value: "resolved", label: "Resolved" },
] as const;

const severities = [
  { value: undefined, label: "All severities" },
  { value: "critical", label: "Critical" },
  { value: "major", label: "Major" },
  { value: "minor", label: "Minor" },
] as const;

/** The most that are chosen at once. */
const maxChosen = 100;

export function IncidentsPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const toast = useToast();
  const now = useNow(30_000);
  const { data: me } = useQuery(meQuery);
  const writable = holds(me, incidentRules.manage);
  const incidents = useInfiniteQuery({ ...incidentsQuery(filter), placeholderData: keepPreviousData });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [failure, setFailure] = useState<Error | null>(null);
  const listed = incidents.data?.pages.flatMap((page) => page.incidents) ?? [];
  const change = (changes: IncidentFilter, replace = false) =>
    void navigate({ to: "/incidents", search: { ...filter, ...changes }, replace });
  const choose = (id: string, chooses: boolean) => {
    const next = new Set(chosen);
    if (chooses && next.size < maxChosen) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const narrowed = Object.values(filter).some((value) => value !== undefined);
  return (
    <ListPage<ListedIncident>
      create={
        writable
          ? (close) => (
              <IncidentForm
                onClose={close}
                onSaved={({ id }) => {
                  toast("Incident opened");
                  void navigate({ to: "/incidents/$incidentId", params: { incidentId: id } });
                }}
                systemId={filter.systemId}
              />
            )
          : undefined
      }
      description="What is wrong with your systems, who looks after it, and what was."
      empty={
        narrowed
          ? { title: "No matching incidents", hint: "Change the search or the filters." }
          : { title: "No incidents yet", hint: "Open one when something is wrong, or ask the assistant to." }
      }
      filters={
        <>
          <SearchField
            label="Search incidents"
            onSearch={(text) => change({ query: text || undefined }, true)}
            placeholder="Search by title or description"
            testId="incident-search"
            value={filter.query ?? ""}
          />
          <ToggleFilter label="State" onChange={(state) => change({ state })} options={states} value={filter.state} />
          <SelectFilter
            label="Severity"
            onChange={(severity) => change({ severity })}
            options={severities}
            value={filter.severity}
          />
          <div className="w-full sm:w-60">
            <SystemPicker
              label="System"
              onChange={(id) => change({ systemId: id || undefined })}
              value={filter.systemId ?? ""}
            />
          </div>
        </>
      }
      itemKey={({ id }) => id}
      list={pagedList(incidents, (page) => page.incidents)}
      name={({ title }) => title}
      noun="incident"
      row={(incident) => (
        <IncidentRow
          actions={
            canAcknowledge(incident) && (
              <AcknowledgeButton incident={incident} onError={setFailure} variant="secondary" />
            )
          }
          choice={
            incident.access !== "viewer" && (
              <input
                aria-label={`Choose ${incident.title}`}
                checked={chosen.has(incident.id)}
                className="size-4 accent-primary"
                onChange={(event) => choose(incident.id, event.currentTarget.checked)}
                type="checkbox"
              />
            )
          }
          incident={incident}
          now={now}
        />
      )}
      title="Incidents"
    >
      <ErrorNotice error={failure} />
      <BulkActions chosen={listed.filter(({ id }) => chosen.has(id))} onDone={() => setChosen(new Set())} />
    </ListPage>
  );
}
