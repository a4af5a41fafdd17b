import { agentsKey, type Agent, type AgentRevision } from "../../api/agents";
import { freezeRevision } from "../../api/agentcalls";
import { useWrite } from "../../api/write";
import { useToast } from "../../ui/Toast";
import { revisionName } from "../words";
import { Findings } from "./Findings";
import { isUnfinished, reportOf } from "./findings";
import { StepDialog } from "./StepDialog";

interface FreezeDialogProps {
  agent: Agent;
  revision: AgentRevision;
  onClose: () => void;
}

/** Freezes a draft, or shows what prevents it. */
export function FreezeDialog({ agent, revision, onClose }: FreezeDialogProps) {
  const toast = useToast();
  const name = revisionName(revision);
  const freeze = useWrite({
    send: (seen: AgentRevision, key) => freezeRevision({ agent: agent.id, rev: seen.id, revision: seen.revision }, key),
    invalidates: [agentsKey],
    onSuccess: () => {
      toast(`${name} is frozen`);
      onClose();
    },
  });
  const report = reportOf(freeze.error);
  return (
    <StepDialog
      busy={freeze.isPending}
      confirmLabel={isUnfinished(freeze.error) ? "Continue" : report ? "Try again" : "Freeze"}
      error={report ? null : freeze.error}
      onClose={onClose}
      onConfirm={() => freeze.mutate(revision)}
      title={`Freeze ${name.toLowerCase()}?`}
    >
      <p>
        Compiles and loads every tool and runs all examples. If they pass, the revision becomes read-only and can be
        promoted. Its tools stay unavailable until then.
      </p>
      {report && (
        <div className="flex flex-col gap-2" data-testid="freeze-report" role="alert">
          <p className="font-medium text-danger">Not frozen; still a draft. Correct this first:</p>
          <Findings agentId={agent.id} number={revision.number} report={report} />
        </div>
      )}
    </StepDialog>
  );
}
