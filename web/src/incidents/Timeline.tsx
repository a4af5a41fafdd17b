import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState, type ReactNode } from "react";
import {
  incidentsKey,
  timelineQuery,
  type Incident,
  type IncidentStatus,
  type IncidentUpdate,
  type TimelineEntry,
} from "../api/incidents";
import { deleteUpdate } from "../api/incidentcalls";
import { healthNews } from "../changes/health";
import { StatusBadge } from "../health/StatusBadge";
import { statusOf } from "../health/status";
import { ChangeLine } from "../history/ChangeLine";
import { useObjectTypes, type ObjectTypes } from "../history/objects";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { DeleteDialog } from "../ui/DeleteDialog";
import { Icon, type IconName } from "../ui/Icon";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { IncidentStatusBadge } from "./Badges";
import { TimelineNotice } from "./TimelineNotice";
import { UpdateForm } from "./UpdateForm";
import { stateWords, visibilityLabels } from "./words";

const icons: Record<TimelineEntry["kind"], IconName> = {
  began: "alert",
  state: "check",
  update: "chat",
  change: "pencil",
  health: "health",
  proposal: "inbox",
  call: "alert",
  notice: "send",
  alert: "alert",
};

/** How long changes of health are gathered before the timeline is read again, in ms. */
const gather = 500;

/** Reads the timeline again when the health of one of the systems changes. */
function useHealthOf({ id, systems }: Incident): void {
  const client = useQueryClient();
  const key = systems.map((system) => system.id).join(" ");
  useEffect(() => {
    const ids = new Set(key.split(" "));
    let timer: number | undefined;
    const { queryKey } = timelineQuery(id);
    const read = () => {
      timer = undefined;
      void client.invalidateQueries({ queryKey });
    };
    const leave = healthNews.hear((system) => {
      if (timer === undefined && (system === undefined || ids.has(system))) timer = window.setTimeout(read, gather);
    });
    return () => {
      window.clearTimeout(timer);
      leave();
    };
  }, [client, id, key]);
}

/** Messages end without a change of their incident: they are read again while some wait on the first page, in ms. */
function whileMessagesWait({
  state: { data },
}: {
  state: { data?: { pages: { entries: TimelineEntry[] | null }[] } };
}) {
  return data?.pages[0]?.entries?.some(({ notice }) => notice && notice.waiting > 0) ? 5000 : false;
}

/** Events of an incident and around it, newest first. */
export function Timeline({ incident, editable }: { incident: Incident; editable: boolean }) {
  const query = useInfiniteQuery({ ...timelineQuery(incident.id), refetchInterval: whileMessagesWait });
  const types = useObjectTypes();
  const now = useNow(30_000);
  const [open, setOpen] = useState<{ kind: "edit" | "delete"; update: IncidentUpdate } | null>(null);
  useHealthOf(incident);
  const entries = query.data?.pages.flatMap((page) => page.entries);
  const close = () => setOpen(null);
  const actionsOf = (update: IncidentUpdate) =>
    editable && (
      <span className="-my-1 flex shrink-0">
        <IconButton icon="pencil" label="Edit update" onClick={() => setOpen({ kind: "edit", update })} />
        <IconButton icon="trash" label="Delete update" onClick={() => setOpen({ kind: "delete", update })} />
      </span>
    );
  return (
    <section aria-label="Timeline" className="flex flex-col gap-3">
      <h2 className="text-sm font-semibold">Timeline</h2>
      <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      {(!entries || !types) && !query.error && <SkeletonRows />}
      {entries && types && (
        <ol className="flex flex-col" data-testid="timeline">
          {entries.map((entry) => (
            <li className="relative flex gap-3 pb-4" data-kind={entry.kind} data-testid="moment" key={entry.id}>
              <span aria-hidden="true" className="absolute top-7 bottom-0 left-3.5 w-px bg-border" />
              <span className="inline-flex size-7 shrink-0 items-center justify-center rounded-full bg-muted">
                <Icon name={icons[entry.kind]} size={15} />
              </span>
              <div className="min-w-0 flex-1 pt-0.5">
                <Moment actions={entry.update && actionsOf(entry.update)} entry={entry} now={now} types={types} />
              </div>
            </li>
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <Button
          busy={query.isFetchingNextPage}
          className="self-center"
          data-testid="more-moments"
          onClick={() => void query.fetchNextPage()}
        >
          Show earlier
        </Button>
      )}
      {open?.kind === "edit" && <UpdateForm incident={incident} onClose={close} update={open.update} />}
      {open?.kind === "delete" && (
        <DeleteDialog
          invalidates={[incidentsKey]}
          item={open.update}
          name="this update"
          noun="update"
          onClose={close}
          onDeleted={close}
          send={({ id }, key) => deleteUpdate(incident.id, id, key)}
          tool="incident.deleteUpdate"
          warning="Its history is deleted too. The status that it set stays. This cannot be undone."
        />
      )}
    </section>
  );
}

interface MomentProps {
  entry: TimelineEntry;
  types: ObjectTypes;
  now: number;
  actions?: ReactNode;
}

function Moment({ entry, types, now, actions }: MomentProps) {
  const { state, update, change, health, proposal, alert } = entry;
  if (change) return <ChangeLine change={change} now={now} types={types} />;
  const time = <At at={entry.at} now={now} />;
  if (update)
    return (
      <article className="flex flex-col gap-1 rounded-xl border bg-card px-3 py-2.5 text-sm shadow-raised">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <strong className="min-w-0 font-medium wrap-anywhere">{update.authorName ?? "A former account"}</strong>
          {update.statusChange && <IncidentStatusBadge status={update.statusChange as IncidentStatus} />}
          {update.visibility !== "public" && <Badge>{visibilityLabels[update.visibility]}</Badge>}
          <span className="ml-auto flex items-center gap-1">
            {time}
            {actions}
          </span>
        </div>
        <p className="whitespace-pre-wrap wrap-anywhere">{update.message}</p>
        {update.editedAt && (
          <details className="text-xs text-muted-foreground">
            <summary>Edited {timeAgo(update.editedAt, now)}</summary>
            <ol className="mt-1 flex flex-col gap-1">
              {update.edits?.map((edit) => (
                <li className="whitespace-pre-wrap wrap-anywhere" key={edit.editedAt}>
                  Until {fullTime(edit.editedAt)}
                  {edit.editorName && `, edited by ${edit.editorName}`}: {edit.message}
                </li>
              ))}
            </ol>
          </details>
        )}
      </article>
    );
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-0.5 text-sm">
      <div className="min-w-0 wrap-anywhere">
        {entry.kind === "began" && "It began"}
        {state && (
          <>
            {stateWords(state)}
            {state.into && (
              <>
                {": "}
                <Link
                  className="underline underline-offset-2"
                  params={{ incidentId: state.into }}
                  to="/incidents/$incidentId"
                >
                  the incident that stays
                </Link>
              </>
            )}
          </>
        )}
        <TimelineNotice entry={entry} />
        {health && (
          <>
            {health.checkName ? `Check ${health.checkName} of ` : ""}
            <Link
              className="underline underline-offset-2"
              params={{ systemId: health.systemId }}
              search={{}}
              to="/health/systems/$systemId"
            >
              {health.systemName}
            </Link>{" "}
            <StatusBadge status={statusOf(health.after)} />
            {health.reason && <p className="text-xs text-muted-foreground">{health.reason}</p>}
          </>
        )}
        {proposal && (
          <>
            {proposal.proposerName} proposed:{" "}
            <Link
              className="underline underline-offset-2"
              search={{ status: "all", proposal: proposal.proposalId }}
              to="/proposals"
            >
              {proposal.summary}
            </Link>{" "}
            <Badge tone={proposal.status === "applied" ? "success" : "neutral"}>{proposal.status}</Badge>
          </>
        )}
        {alert && (
          <>
            {alert.sourceName} reported alerts <Badge>{alert.result}</Badge>
            <p className="text-xs text-muted-foreground">
              “{alert.title}” · {alert.firing} firing, {alert.resolved} ended
            </p>
          </>
        )}
      </div>
      {time}
    </div>
  );
}

function At({ at, now }: { at: string; now: number }) {
  return (
    <time className="text-xs whitespace-nowrap text-muted-foreground" dateTime={at} title={fullTime(at)}>
      {timeAgo(at, now)}
    </time>
  );
}
