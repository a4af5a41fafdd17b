import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { zoneName } from "../api/forms/incident";
import {
  maintenanceQuery,
  maintenancesKey,
  maintenanceUpdatesQuery,
  type Maintenance,
  type Occurrence,
} from "../api/maintenances";
import { deleteMaintenance, updateMaintenance } from "../api/maintenancecalls";
import { useWrite } from "../api/write";
import { mayEdit } from "../catalog/permission";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { changedAt, DetailPage } from "../ui/DetailPage";
import { ErrorNotice } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { MaintenanceStatusBadge, OccurrenceBadge } from "./Badges";
import { MaintenanceForm } from "./MaintenanceForm";
import { CloseForm, ExtendForm, MoveForm, UpdateForm } from "./MaintenanceForms";
import { occurrenceWords, span } from "./words";

const route = getRouteApi("/app/maintenances/$maintenanceId");
const trail: Crumb[] = [{ label: "Maintenances", link: { to: "/maintenances", search: {} } }];

type Open = { kind: "update" | "close" | "extend" } | { kind: "move"; at: string } | null;

const isOver = ({ status }: Maintenance) => status === "completed" || status === "cancelled";

/** One maintenance: when it happens, on what, and what people wrote about it. */
export function MaintenancePage() {
  const { maintenanceId } = route.useParams();
  const navigate = useNavigate();
  const toast = useToast();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <DetailPage<Maintenance>
      badges={({ status, suppressNotifications }) => (
        <>
          <MaintenanceStatusBadge status={status} />
          {suppressNotifications && <Badge>Suppresses notifications</Badge>}
        </>
      )}
      description={({ description }) => description}
      edit={(maintenance, done) => (
        <MaintenanceForm
          maintenance={maintenance}
          onClose={done}
          onSaved={() => {
            toast("Saved");
            done();
          }}
        />
      )}
      editable={mayEdit}
      history={({ id }) => ({ type: "maintenance.maintenance", id })}
      mainAction={(maintenance) => mayEdit(maintenance) && <Actions maintenance={maintenance} onOpen={setOpen} />}
      name={({ title }) => title}
      noun="maintenance"
      onDeleted={() => navigate({ to: "/maintenances", search: {} })}
      origin={changedAt}
      query={useQuery(maintenanceQuery(maintenanceId))}
      removable={mayEdit}
      remove={{
        send: deleteMaintenance,
        tool: "maintenance.delete",
        invalidates: [maintenancesKey],
        warning: "Its updates and links are deleted too. This cannot be undone. Call off one that does not take place.",
      }}
      trail={trail}
    >
      {(maintenance) => (
        <>
          {maintenance.issue && <ErrorNotice error={new Error(maintenance.issue)} />}
          <Facts maintenance={maintenance} />
          {maintenance.upcoming.length > 0 && (
            <Upcoming maintenance={maintenance} onMove={(at) => setOpen({ kind: "move", at })} />
          )}
          <Updates id={maintenance.id} />
          {open?.kind === "update" && <UpdateForm maintenance={maintenance} onClose={close} />}
          {open?.kind === "close" && <CloseForm maintenance={maintenance} onClose={close} />}
          {open?.kind === "extend" && <ExtendForm maintenance={maintenance} onClose={close} />}
          {open?.kind === "move" && <MoveForm at={open.at} maintenance={maintenance} onClose={close} />}
        </>
      )}
    </DetailPage>
  );
}

function Actions({ maintenance, onOpen }: { maintenance: Maintenance; onOpen: (open: Open) => void }) {
  const running = maintenance.status === "in_progress";
  return (
    <>
      <Button icon="chat" onClick={() => onOpen({ kind: "update" })}>
        Update
      </Button>
      {running && (
        <Button icon="clock" onClick={() => onOpen({ kind: "extend" })}>
          Extend
        </Button>
      )}
      {!isOver(maintenance) && (
        <Button icon={running ? "check" : "close"} onClick={() => onOpen({ kind: "close" })} variant="primary">
          {running ? "End now" : "Call off"}
        </Button>
      )}
    </>
  );
}

function Facts({ maintenance }: { maintenance: Maintenance }) {
  const { systems, occurrence, zone, recurrence, rule, links } = maintenance;
  const own = zoneName();
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
        <dt className="text-muted-foreground">{occurrenceWords(occurrence)}</dt>
        <dd data-testid="when">
          <p>
            {span(occurrence.startAt, occurrence.endAt, zone)} ({zone})
          </p>
          {zone !== own && (
            <p className="text-muted-foreground">
              {span(occurrence.startAt, occurrence.endAt)} ({own})
            </p>
          )}
        </dd>
        {rule !== "" && (
          <>
            <dt className="text-muted-foreground">Recurs</dt>
            <dd>{recurrence ?? rule}</dd>
          </>
        )}
        {links.length > 0 && (
          <>
            <dt className="text-muted-foreground">Links</dt>
            <dd className="flex min-w-0 flex-col gap-1">
              {links.map(({ id, url, label }) => (
                <a
                  className="text-primary underline underline-offset-2 wrap-anywhere"
                  href={url}
                  key={id}
                  rel="noopener noreferrer"
                  target="_blank"
                  title={url}
                >
                  {label || url}
                </a>
              ))}
            </dd>
          </>
        )}
      </dl>
    </Panel>
  );
}

/** The next occurrences; one can be moved, cancelled and restored. */
function Upcoming({ maintenance, onMove }: { maintenance: Maintenance; onMove: (at: string) => void }) {
  const write = useWrite({
    send: ({ at, cancelled }: { at: string; cancelled: boolean }, key) =>
      updateMaintenance(maintenance, { occurrence: { at, cancelled } }, key),
    invalidates: [maintenancesKey],
  });
  return (
    <Panel title="Next occurrences">
      <ErrorNotice className="mb-2" error={write.error} />
      <ul className="flex flex-col gap-2 text-sm" data-testid="upcoming">
        {maintenance.upcoming.map((occurrence) => (
          <li className="flex flex-wrap items-center gap-2" data-testid="occurrence" key={occurrence.at}>
            <span className="min-w-0 flex-1 basis-56">
              {span(occurrence.startAt, occurrence.endAt, maintenance.zone)}
            </span>
            <OccurrenceBadge occurrence={occurrence} />
            {occurrence.moved && <Badge>Moved</Badge>}
            {mayEdit(maintenance) && occurrence.status !== "in_progress" && (
              <OccurrenceActions
                busy={write.isPending}
                occurrence={occurrence}
                onCancel={(cancelled) => write.mutate({ at: occurrence.at, cancelled })}
                onMove={() => onMove(occurrence.at)}
              />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface OccurrenceActionsProps {
  occurrence: Occurrence;
  busy: boolean;
  onCancel: (cancelled: boolean) => void;
  onMove: () => void;
}

function OccurrenceActions({ occurrence, busy, onCancel, onMove }: OccurrenceActionsProps) {
  const cancelled = occurrence.status === "cancelled";
  return (
    <span className="flex gap-1">
      <Button onClick={onMove} variant="quiet">
        Move
      </Button>
      <Button busy={busy} onClick={() => onCancel(!cancelled)} variant="quiet">
        {cancelled ? "Restore" : "Skip"}
      </Button>
    </span>
  );
}

/** Updates by people, the newest first. */
function Updates({ id }: { id: string }) {
  const updates = useInfiniteQuery(maintenanceUpdatesQuery(id));
  const list = updates.data?.pages.flatMap((page) => page.updates) ?? [];
  return (
    <Panel title="Updates">
      <ErrorNotice error={updates.error} onRetry={() => void updates.refetch()} />
      {updates.data && list.length === 0 && <p className="text-sm text-muted-foreground">No updates.</p>}
      <ol className="flex flex-col gap-4" data-testid="updates">
        {list.map(({ id: update, message, authorName, createdAt, visibility }) => (
          <li key={update}>
            <p className="text-sm text-muted-foreground">
              {authorName ?? "A former account"} · {fullTime(createdAt)}
              {visibility === "internal" && " · internal"}
            </p>
            <p className="whitespace-pre-wrap wrap-anywhere">{message}</p>
          </li>
        ))}
      </ol>
      {updates.hasNextPage && (
        <Button busy={updates.isFetchingNextPage} className="mt-3" onClick={() => void updates.fetchNextPage()}>
          Older updates
        </Button>
      )}
    </Panel>
  );
}
