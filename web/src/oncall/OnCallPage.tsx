import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { incidentsQuery } from "../api/incidents";
import { oncallRules, policiesQuery, schedulesQuery, type Named } from "../api/oncall";
import { holds, meQuery } from "../api/session";
import { teamsQuery } from "../api/teams";
import { AcknowledgeButton, canAcknowledge } from "../incidents/AcknowledgeButton";
import { count } from "../health/format";
import { IncidentRow } from "../incidents/IncidentRow";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { useNow } from "../ui/time";
import { PolicyForm } from "./PolicyForm";
import { ScheduleForm } from "./ScheduleForm";
import { Simulation } from "./Simulation";

export const names = (people: readonly Named[]) =>
  people.map(({ name }) => name ?? "a deleted user").join(", ") || "Nobody";

/** The first page for a person on call, also at the size of a phone: open incidents, schedules, policies. */
export function OnCallPage() {
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const { data: teams } = useQuery(teamsQuery);
  const [open, setOpen] = useState<"schedule" | "policy" | null>(null);
  const close = () => setOpen(null);
  const mayCreate =
    holds(me, oncallRules.manage) || teams?.some(({ members }) => members?.some(({ id }) => id === me?.id)) === true;
  return (
    <Page
      actions={
        mayCreate && (
          <>
            <Button data-testid="new-schedule" icon="plus" onClick={() => setOpen("schedule")}>
              New schedule
            </Button>
            <Button data-testid="new-policy" icon="plus" onClick={() => setOpen("policy")}>
              New policy
            </Button>
          </>
        )
      }
      description="What burns, who is on call, and who is called."
      testId="on-call"
      title="On-call"
    >
      <Burning />
      <Schedules />
      <Policies />
      <Simulation />
      {open === "schedule" && (
        <ScheduleForm
          onClose={close}
          onSaved={({ id }) => navigate({ to: "/on-call/schedules/$scheduleId", params: { scheduleId: id } })}
        />
      )}
      {open === "policy" && (
        <PolicyForm
          onClose={close}
          onSaved={({ id }) => navigate({ to: "/on-call/policies/$policyId", params: { policyId: id } })}
        />
      )}
    </Page>
  );
}

function Burning() {
  const now = useNow(30_000);
  const [failure, setFailure] = useState<Error | null>(null);
  const incidents = useInfiniteQuery(incidentsQuery({ state: "open" }));
  const open = incidents.data?.pages.flatMap((page) => page.incidents);
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">Open incidents</h2>
      <ErrorNotice error={failure ?? incidents.error} />
      {!open && !incidents.error && <SkeletonRows rows={2} />}
      {open?.length === 0 && <EmptyState title="Nothing burns" />}
      {open && open.length > 0 && (
        <Rows itemKey={({ id }) => id} items={open} label="Open incidents">
          {(incident) => (
            <IncidentRow
              actions={
                canAcknowledge(incident) && (
                  <AcknowledgeButton className="min-h-11" incident={incident} onError={setFailure} />
                )
              }
              incident={incident}
              now={now}
            />
          )}
        </Rows>
      )}
    </section>
  );
}

function Schedules() {
  const { data: schedules, error, refetch } = useQuery(schedulesQuery);
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">Schedules</h2>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!schedules && !error && <SkeletonRows rows={2} />}
      {schedules?.length === 0 && (
        <EmptyState title="No schedules yet">A schedule says who is on call when.</EmptyState>
      )}
      {schedules && schedules.length > 0 && (
        <Rows itemKey={({ id }) => id} items={schedules} label="Schedules">
          {({ id, name, onCall, team, zone }) => (
            <Row
              badges={onCall.length === 0 && <Badge tone="warning">Nobody on call</Badge>}
              detail={`${names(onCall)} · ${team?.name ?? "no team"} · ${zone}`}
              title={
                <Link
                  className="hover:text-primary"
                  data-testid="schedule-link"
                  params={{ scheduleId: id }}
                  to="/on-call/schedules/$scheduleId"
                >
                  {name}
                </Link>
              }
            />
          )}
        </Rows>
      )}
    </section>
  );
}

function Policies() {
  const { data: policies, error, refetch } = useQuery(policiesQuery);
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">Escalation policies</h2>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!policies && !error && <SkeletonRows rows={2} />}
      {policies?.length === 0 && (
        <EmptyState title="No policies yet">A policy says who is called about an incident.</EmptyState>
      )}
      {policies && policies.length > 0 && (
        <Rows itemKey={({ id }) => id} items={policies} label="Escalation policies">
          {({ id, name, team, steps, warnings, ...policy }) => (
            <Row
              badges={
                <>
                  {policy.default && <Badge tone="primary">Default</Badge>}
                  {!policy.enabled && <Badge>Off</Badge>}
                  {warnings.length > 0 && <Badge tone="warning">{warnings.length} to check</Badge>}
                </>
              }
              detail={`${count(steps.length, "step")} · ${team?.name ?? "no team"} · ${policy.severities.join(", ") || "all severities"}`}
              title={
                <Link
                  className="hover:text-primary"
                  data-testid="policy-link"
                  params={{ policyId: id }}
                  to="/on-call/policies/$policyId"
                >
                  {name}
                </Link>
              }
            />
          )}
        </Rows>
      )}
    </section>
  );
}
