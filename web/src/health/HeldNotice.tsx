import { healthKey, type Assignment, type Check } from "../api/health";
import { assignCheck } from "../api/healthcalls";
import { holds, meQuery } from "../api/session";
import { useQuery } from "@tanstack/react-query";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ErrorNotice } from "../ui/Notice";
import { useToast } from "../ui/Toast";

/** The access rule for deciding where secrets are sent. */
const secretRule = "vault.secret.read";

interface HeldNoticeProps {
  check: Check;
  assignment: Assignment;
  /** Whether the reader may change the check. */
  editable: boolean;
}

/** An assignment that awaits a decision: why, and what can be done. */
export function HeldNotice({ check, assignment, editable }: HeldNoticeProps) {
  const { data: me } = useQuery(meQuery);
  const toast = useToast();
  const release = useWrite({
    send: ({ enabled, thresholds, environmentIds }: Assignment, key) =>
      assignCheck(check, assignment.systemId, { enabled, thresholds, environmentIds: environmentIds ?? null }, key),
    invalidates: [healthKey],
    onSuccess: () => toast(`${check.name} follows ${assignment.systemName} again`),
  });
  const may = editable && holds(me, secretRule);
  return (
    <div className="mt-2 w-full rounded-lg border border-warning/40 p-3 text-sm" data-testid="held" role="note">
      <p className="font-medium">It waits for a decision</p>
      <p className="mt-1 text-muted-foreground">
        The system or an environment was changed by a user who may not use secrets. The change affects where this check
        sends {check.secrets.length > 0 ? check.secrets.join(", ") : "its secrets"}. It runs as before, without new
        environments.{" "}
        {may
          ? "Review the system’s current data. If the secrets may go there, accept the change."
          : `Ask a user who can edit this check and has the rule “${secretRule}” to review it.`}
      </p>
      {may && (
        <Button busy={release.isPending} className="mt-2" onClick={() => release.mutate(assignment)}>
          Accept the change
        </Button>
      )}
      <ErrorNotice className="mt-2" error={release.error} />
    </div>
  );
}
