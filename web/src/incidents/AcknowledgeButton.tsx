import { Proposed } from "../api/client";
import { askingLabel, useAsks } from "../api/governed";
import { incidentsKey, type ListedIncident } from "../api/incidents";
import { acknowledgeIncident } from "../api/incidentcalls";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { useToast } from "../ui/Toast";

/** Whether the reader can take an incident on. */
export const canAcknowledge = ({ status, acknowledged, access }: ListedIncident) =>
  status !== "resolved" && !acknowledged && access !== "viewer";

/** A write that has become a proposal is no failure. */
export const unlessProposed = (onError: (error: Error) => void) => (error: Error) => {
  if (!(error instanceof Proposed)) onError(error);
};

interface AcknowledgeButtonProps {
  incident: ListedIncident;
  className?: string;
  /** Receives why it failed. */
  onError: (error: Error | null) => void;
  variant?: "primary" | "secondary";
}

export function AcknowledgeButton({ incident, className, onError, variant = "primary" }: AcknowledgeButtonProps) {
  const toast = useToast();
  const asks = useAsks("incident.acknowledge");
  const acknowledge = useWrite({
    send: (id: string, key) => acknowledgeIncident(id, key),
    invalidates: [incidentsKey],
    onSuccess: ({ changed, acknowledged }) => {
      onError(null);
      toast(changed ? "You have taken it on" : `${acknowledged?.byName ?? "Another person"} has taken it on before`);
    },
  });
  return (
    <Button
      busy={acknowledge.isPending}
      className={className}
      data-testid="acknowledge"
      disabled={asks === "off"}
      icon="check"
      onClick={() => acknowledge.mutate(incident.id, { onError: unlessProposed(onError) })}
      variant={variant}
    >
      {askingLabel(asks, "Acknowledge")}
    </Button>
  );
}
