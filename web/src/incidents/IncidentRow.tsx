import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ListedIncident } from "../api/incidents";
import { Row } from "../ui/Rows";
import { fullTime } from "../ui/time";
import { IncidentStatusBadge, SeverityBadge } from "./Badges";
import { lasted } from "./words";

interface IncidentRowProps {
  incident: ListedIncident;
  now: number;
  actions?: ReactNode;
  /** Stands before the title. */
  choice?: ReactNode;
}

export function IncidentRow({ incident, now, actions, choice }: IncidentRowProps) {
  const { id, title, status, severity, systems, startedAt, resolvedAt, acknowledged } = incident;
  const where = systems.map(({ name }) => name).join(", ");
  return (
    <div className="flex items-start" data-testid="incident-row">
      {choice && <div className="shrink-0 py-3.5 pl-4">{choice}</div>}
      <div className="min-w-0 flex-1">
        <Row
          actions={actions}
          badges={
            <>
              <SeverityBadge severity={severity} />
              <IncidentStatusBadge status={status} />
            </>
          }
          detail={
            <>
              {where || "No system"}
              {" · "}
              <time dateTime={startedAt} title={fullTime(startedAt)}>
                {resolvedAt ? fullTime(startedAt) : `for ${lasted(startedAt, now)}`}
              </time>
              {resolvedAt && ` · took ${lasted(startedAt, resolvedAt)}`}
              {!resolvedAt &&
                (acknowledged ? ` · ${acknowledged.byName ?? "somebody"} looks after it` : " · nobody yet")}
            </>
          }
          title={
            <Link
              className="hover:text-primary"
              data-testid="incident-link"
              params={{ incidentId: id }}
              to="/incidents/$incidentId"
            >
              {title}
            </Link>
          }
        />
      </div>
    </div>
  );
}
