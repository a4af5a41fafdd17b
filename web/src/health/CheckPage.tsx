import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { environmentsQuery } from "../api/catalog";
import { assignmentsQuery, checkQuery, healthKey, kindsQuery, type Assignment, type Check } from "../api/health";
import { deleteCheck, pauseCheck, unassignCheck } from "../api/healthcalls";
import { useWrite } from "../api/write";
import { mayEdit, mayOwn } from "../catalog/permission";
import { Badge } from "../ui/Badge";
import { Button, buttonShape } from "../ui/Button";
import { DeleteDialog } from "../ui/DeleteDialog";
import { changedAt, DetailPage } from "../ui/DetailPage";
import { Icon } from "../ui/Icon";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { AssignForm } from "./AssignForm";
import { Callings, heartbeatStrategy } from "./Callings";
import { CheckFailing } from "./CheckFailing";
import { CheckFacts } from "./CheckFacts";
import { ExportLink } from "./ExportLink";
import { HeldNotice } from "./HeldNotice";
import { useLive } from "./live";
import { useHealthPermission } from "./permission";
import { ScheduleNote } from "./ScheduleNote";
import { StatusBadge } from "./StatusBadge";
import { targetStatuses } from "./status";
import { thresholdWords } from "./thresholds";

const route = getRouteApi("/app/health/checks/$checkId");
const trail: Crumb[] = [{ label: "Checks", link: { to: "/health/checks", search: {} } }];

/** One check with its configuration and systems. */
export function CheckPage() {
  const { checkId } = route.useParams();
  const navigate = useNavigate();
  const { data: kinds } = useQuery(kindsQuery);
  return (
    <DetailPage
      actions={(check) => (
        <>
          <ExportLink checkId={check.id} />
          {mayEdit(check) && (
            <>
              <PauseButton check={check} />
              <Link
                className={`${buttonShape} border-input bg-card hover:bg-muted`}
                data-testid="edit-check"
                search={{ check: check.id }}
                to="/health/editor"
              >
                <Icon name="pencil" size={16} />
                Edit
              </Link>
            </>
          )}
        </>
      )}
      badges={({ paused, secrets }) => (
        <>
          {paused && <Badge tone="warning">Paused</Badge>}
          {secrets.map((name) => (
            <Badge key={name} title="A secret that it uses">
              {name}
            </Badge>
          ))}
        </>
      )}
      description={({ description }) => description || "No description"}
      history={({ id }) => ({ type: "healthcheck.healthcheck", id })}
      name={({ name }) => name}
      noun="check"
      onDeleted={() => navigate({ to: "/health/checks", search: {} })}
      origin={changedAt}
      query={useQuery(checkQuery(checkId))}
      removable={mayOwn}
      remove={{
        send: deleteCheck,
        tool: "healthcheck.delete",
        invalidates: [healthKey],
        warning: "Its assignments and history are deleted too. This cannot be undone.",
      }}
      trail={trail}
    >
      {(check) => (
        <>
          <CheckFailing check={check} />
          {check.warnings?.map((warning) => (
            <p
              className="rounded-lg border border-warning/40 p-3 text-sm"
              data-testid="check-warning"
              key={warning}
              role="note"
            >
              {warning}
            </p>
          ))}
          <Panel title="Definition">
            <CheckFacts definition={check} kinds={kinds} />
            {check.schedule && (
              <div className="mt-4">
                <ScheduleNote schedule={check.schedule} />
              </div>
            )}
          </Panel>
          <Assignments check={check} />
          {check.strategyId === heartbeatStrategy && mayEdit(check) && <Callings checkId={check.id} />}
        </>
      )}
    </DetailPage>
  );
}

function PauseButton({ check }: { check: Check }) {
  const toast = useToast();
  const pause = useWrite({
    send: (paused: boolean, key) => pauseCheck(check, paused, key),
    invalidates: [healthKey],
    onSuccess: (_, paused) => toast(paused ? `${check.name} is paused` : `${check.name} runs again`),
  });
  return (
    <>
      <Button
        busy={pause.isPending}
        data-testid="pause-check"
        icon={check.paused ? "play" : "pause"}
        onClick={() => pause.mutate(!check.paused)}
      >
        {check.paused ? "Resume" : "Pause"}
      </Button>
      <ErrorNotice error={pause.error} />
    </>
  );
}

type Open = { kind: "assign" } | { kind: "change" | "remove"; of: Assignment } | null;

/** The systems for which a check runs. */
function Assignments({ check }: { check: Check }) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const assignments = useInfiniteQuery({
    ...assignmentsQuery(check.id),
    refetchInterval: useLive(useHealthPermission().status),
  });
  const { data: environments } = useQuery(environmentsQuery);
  const list = assignments.data?.pages.flatMap((page) => page.systems);
  const editable = mayEdit(check);
  const environmentName = (id: string) => environments?.find((one) => one.id === id)?.name ?? "an environment";
  return (
    <Panel
      actions={
        editable && (
          <Button data-testid="assign" icon="plus" onClick={() => setOpen({ kind: "assign" })}>
            Assign
          </Button>
        )
      }
      title="Systems"
    >
      {!list && (assignments.error ? <ErrorNotice error={assignments.error} /> : <SkeletonRows rows={2} />)}
      {list?.length === 0 && (
        <p className="text-sm text-muted-foreground">Not assigned to any system, so it does not run.</p>
      )}
      {list && list.length > 0 && (
        <ul aria-label="Systems" className="-m-4 divide-y">
          {list.map((assignment) => (
            <li
              className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3"
              data-testid="assignment"
              key={assignment.systemId}
            >
              <div className="min-w-0 flex-1 basis-52">
                <div className="flex flex-wrap items-center gap-2">
                  <Link
                    className="font-medium wrap-anywhere hover:text-primary"
                    params={{ systemId: assignment.systemId }}
                    search={{}}
                    to="/health/systems/$systemId"
                  >
                    {assignment.systemName}
                  </Link>
                  {assignment.held && <Badge tone="warning">Waits for a decision</Badge>}
                  {assignment.enabled === false && <Badge tone="warning">Off</Badge>}
                  {targetStatuses.map((status) => {
                    const of = assignment.targets.filter((target) => target.active && target.status === status);
                    return (
                      of.length > 0 && (
                        <StatusBadge
                          key={status}
                          label={of.length === 1 ? undefined : `${of.length} ${status}`}
                          status={status}
                        />
                      )
                    );
                  })}
                </div>
                <p className="text-sm text-muted-foreground wrap-anywhere">
                  {!assignment.environmentIds
                    ? "In all of its environments."
                    : assignment.environmentIds.length === 0
                      ? "Without an environment."
                      : `In ${assignment.environmentIds.map(environmentName).join(", ")}.`}{" "}
                  {thresholdWords(assignment.thresholds)}
                </p>
              </div>
              {editable && (
                <div className="flex">
                  <IconButton
                    icon="pencil"
                    label={`Edit assignment to ${assignment.systemName}`}
                    onClick={() => setOpen({ kind: "change", of: assignment })}
                  />
                  <IconButton
                    icon="trash"
                    label={`Unassign from ${assignment.systemName}`}
                    onClick={() => setOpen({ kind: "remove", of: assignment })}
                  />
                </div>
              )}
              {assignment.held && <HeldNotice assignment={assignment} check={check} editable={editable} />}
            </li>
          ))}
        </ul>
      )}
      {assignments.hasNextPage && (
        <Button busy={assignments.isFetchingNextPage} className="mt-6" onClick={() => void assignments.fetchNextPage()}>
          Show more
        </Button>
      )}
      {open?.kind === "assign" && <AssignForm check={check} onClose={close} />}
      {open?.kind === "change" && <AssignForm assignment={open.of} check={check} onClose={close} />}
      {open?.kind === "remove" && (
        <DeleteDialog
          invalidates={[healthKey]}
          item={open.of}
          name={`${check.name} for ${open.of.systemName}`}
          noun="assignment"
          onClose={close}
          onDeleted={close}
          send={({ systemId }, key) => unassignCheck(check, systemId, key)}
          warning="Its results for that system are deleted too. This cannot be undone."
        />
      )}
    </Panel>
  );
}
