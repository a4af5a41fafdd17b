import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { incidentQuery, incidentsKey, type Incident, type ListedIncident } from "../api/incidents";
import { deleteIncident, reopenIncident } from "../api/incidentcalls";
import { useWrite } from "../api/write";
import { mayEdit } from "../catalog/permission";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { changedAt, DetailPage } from "../ui/DetailPage";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { usePhone } from "../ui/phone";
import { fullTime, useNow } from "../ui/time";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { AcknowledgeButton, canAcknowledge, unlessProposed } from "./AcknowledgeButton";
import { IncidentStatusBadge, SeverityBadge } from "./Badges";
import { IncidentForm } from "./IncidentForm";
import { IncidentLinks } from "./IncidentLinks";
import { MergeForm } from "./MergeForm";
import { Timeline } from "./Timeline";
import { ResolveForm, UpdateForm } from "./UpdateForm";
import { lasted, overrideLabels } from "./words";

const route = getRouteApi("/app/incidents/$incidentId");
const trail: Crumb[] = [{ label: "Incidents", link: { to: "/incidents", search: {} } }];

type Open = "update" | "resolve" | "merge" | null;

/** One incident: what is wrong, since when, who looks after it, and its timeline. */
export function IncidentPage() {
  const { incidentId } = route.useParams();
  const navigate = useNavigate();
  const toast = useToast();
  const phone = usePhone();
  const [open, setOpen] = useState<Open>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const close = () => setOpen(null);
  return (
    <DetailPage<Incident>
      actions={(incident) =>
        mayEdit(incident) &&
        incident.status !== "resolved" && (
          <Button icon="copy" onClick={() => setOpen("merge")}>
            Merge
          </Button>
        )
      }
      badges={(incident) => <Badges incident={incident} />}
      description={({ description }) => description}
      edit={(incident, done) => (
        <IncidentForm
          incident={incident}
          onClose={done}
          onSaved={() => {
            toast("Saved");
            done();
          }}
        />
      )}
      editable={mayEdit}
      history={({ id }) => ({ type: "incident.incident", id })}
      mainAction={(incident) => !phone && <Actions incident={incident} onError={setFailure} onOpen={setOpen} />}
      name={({ title }) => title}
      noun="incident"
      onDeleted={() => navigate({ to: "/incidents", search: {} })}
      origin={changedAt}
      query={useQuery(incidentQuery(incidentId))}
      removable={mayEdit}
      remove={{
        send: deleteIncident,
        tool: "incident.delete",
        invalidates: [incidentsKey],
        warning:
          "Its updates and links are deleted too. This cannot be undone. One that is over is resolved, so that its story stays.",
      }}
      trail={trail}
    >
      {(incident) => (
        <>
          <ErrorNotice error={failure} />
          <div className="grid gap-4 md:grid-cols-2">
            <Facts incident={incident} />
            <IncidentLinks editable={mayEdit(incident)} incident={incident} />
          </div>
          <Timeline editable={mayEdit(incident)} incident={incident} />
          {phone && mayEdit(incident) && (
            // One thumb reaches it wherever the page is scrolled to.
            <div
              className="sticky bottom-0 -mx-4 -mb-6 flex gap-2 border-t bg-card p-3"
              data-bar=""
              data-testid="thumb-bar"
            >
              <Actions incident={incident} onError={setFailure} onOpen={setOpen} tall />
            </div>
          )}
          {open === "update" && <UpdateForm incident={incident} onClose={close} />}
          {open === "resolve" && <ResolveForm incident={incident} onClose={close} />}
          {open === "merge" && (
            <MergeForm
              incident={incident}
              onClose={close}
              onMerged={(into) => {
                toast("Merged");
                close();
                void navigate({ to: "/incidents/$incidentId", params: { incidentId: into } });
              }}
            />
          )}
        </>
      )}
    </DetailPage>
  );
}

function Badges({ incident }: { incident: ListedIncident }) {
  const { severity, status, suppressNotifications, acknowledged, duplicateOf } = incident;
  return (
    <>
      <SeverityBadge severity={severity} />
      <IncidentStatusBadge status={status} />
      {suppressNotifications && <Badge>Notifies nobody</Badge>}
      {acknowledged && (
        <span data-testid="acknowledged" title={fullTime(acknowledged.at)}>
          {acknowledged.byName ?? "A former account"} looks after it
        </span>
      )}
      {duplicateOf && (
        <Link className="underline underline-offset-2" params={{ incidentId: duplicateOf }} to="/incidents/$incidentId">
          Duplicate of another incident
        </Link>
      )}
    </>
  );
}

interface ActionsProps {
  incident: Incident;
  onOpen: (open: Open) => void;
  onError: (error: Error | null) => void;
  /** They fill a bar at the bottom of a phone. */
  tall?: boolean;
}

/** Next steps: acknowledge it first, then write and resolve. */
function Actions({ incident, onOpen, onError, tall = false }: ActionsProps) {
  const toast = useToast();
  const reopen = useWrite({
    send: (id: string, key) => reopenIncident(id, key),
    invalidates: [incidentsKey],
    onSuccess: () => toast("Incident reopened"),
  });
  if (!mayEdit(incident)) return null;
  const shape = tall ? "min-h-12 flex-1" : "";
  if (incident.status === "resolved")
    return (
      <Button
        busy={reopen.isPending}
        className={shape}
        icon="repeat"
        onClick={() => reopen.mutate(incident.id, { onError: unlessProposed(onError) })}
      >
        Reopen
      </Button>
    );
  const waits = canAcknowledge(incident);
  return (
    <>
      <Button className={shape} icon="chat" onClick={() => onOpen("update")} variant={waits ? "secondary" : "primary"}>
        Update
      </Button>
      <Button className={shape} icon="check" onClick={() => onOpen("resolve")}>
        Resolve
      </Button>
      {waits && <AcknowledgeButton className={tall ? "min-h-12 flex-2" : ""} incident={incident} onError={onError} />}
    </>
  );
}

function Facts({ incident }: { incident: Incident }) {
  const { systems, startedAt, resolvedAt, healthOverride, status, dedupeKey } = incident;
  const now = useNow(30_000, status !== "resolved");
  return (
    <Panel title="Facts">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
        <dt className="text-muted-foreground">Systems</dt>
        <dd className="flex min-w-0 flex-wrap gap-x-2">
          {systems.length === 0 && "None"}
          {systems.map(({ id, name }) => (
            <Link
              className="underline underline-offset-2 wrap-anywhere"
              key={id}
              params={{ systemId: id }}
              to="/catalog/systems/$systemId"
            >
              {name}
            </Link>
          ))}
        </dd>
        <dt className="text-muted-foreground">Began</dt>
        <dd>{fullTime(startedAt)}</dd>
        <dt className="text-muted-foreground">{resolvedAt ? "Ended" : "Lasts"}</dt>
        <dd>
          {resolvedAt ? `${fullTime(resolvedAt)}, after ${lasted(startedAt, resolvedAt)}` : lasted(startedAt, now)}
        </dd>
        {healthOverride !== "none" && (
          <>
            <dt className="text-muted-foreground">Health</dt>
            <dd>
              {overrideLabels[healthOverride]}
              {status === "resolved" && " while it was open"}
            </dd>
          </>
        )}
        {dedupeKey && (
          <>
            <dt className="text-muted-foreground">Dedupe key</dt>
            <dd className="min-w-0 wrap-anywhere">{dedupeKey}</dd>
          </>
        )}
      </dl>
    </Panel>
  );
}
