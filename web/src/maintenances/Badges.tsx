import type { Occurrence, MaintenanceStatus } from "../api/maintenances";
import { Badge } from "../ui/Badge";
import { occurrenceWords, statusLabels, statusTones } from "./words";

export function MaintenanceStatusBadge({ status }: { status: MaintenanceStatus }) {
  return (
    <span data-status={status} data-testid="maintenance-status">
      <Badge tone={statusTones[status]}>{statusLabels[status]}</Badge>
    </span>
  );
}

export function OccurrenceBadge({ occurrence }: { occurrence: Occurrence }) {
  return <Badge tone={statusTones[occurrence.status]}>{occurrenceWords(occurrence)}</Badge>;
}
