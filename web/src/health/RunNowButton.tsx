import { healthKey, type HealthTarget, type SystemHealth } from "../api/health";
import { runNow } from "../api/healthcalls";
import { explain } from "../api/problem";
import { useWrite } from "../api/write";
import { IconButton } from "../ui/IconButton";
import { useToast } from "../ui/Toast";
import { targetLabel } from "./targets";

/** Runs a check of a system at once, beside its schedule. */
export function RunNowButton({ system, target }: { system: SystemHealth; target: HealthTarget }) {
  const toast = useToast();
  const run = useWrite({
    send: (_: object, key) =>
      runNow(target.checkId, { systemId: system.systemId, environmentId: target.environment?.id }, key),
    invalidates: [healthKey],
    onSuccess: () => toast(`${target.checkName} runs now`),
  });
  return (
    <>
      <IconButton
        busy={run.isPending}
        data-testid="run-now"
        icon="play"
        label={`Run ${targetLabel(target)} now`}
        onClick={() => run.mutate({})}
      />
      {run.error && (
        <span className="max-w-60 text-sm text-danger wrap-anywhere" data-testid="error" role="alert">
          {explain(run.error)}
        </span>
      )}
    </>
  );
}
