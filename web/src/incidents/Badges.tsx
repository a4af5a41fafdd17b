import type { IncidentStatus, Severity } from "../api/incidents";
import { Badge } from "../ui/Badge";
import { severityLabels, severityTones, statusLabels, statusTones } from "./words";

export function IncidentStatusBadge({ status }: { status: IncidentStatus }) {
  return (
    <span data-status={status} data-testid="incident-status">
      <Badge tone={statusTones[status]}>{statusLabels[status]}</Badge>
    </span>
  );
}

export function SeverityBadge({ severity }: { severity: Severity }) {
  return (
    <span data-severity={severity} data-testid="incident-severity">
      <Badge tone={severityTones[severity]}>{severityLabels[severity]}</Badge>
    </span>
  );
}
