import { agentsKey, type Agent, type AgentRevision } from "../../api/agents";
import { archiveRevision } from "../../api/agentcalls";
import { useWrite } from "../../api/write";
import { useToast } from "../../ui/Toast";
import { revisionName } from "../words";
import { StepDialog } from "./StepDialog";

interface ArchiveDialogProps {
  agent: Agent;
  revision: AgentRevision;
  onClose: () => void;
}

/** Puts a revision aside. */
export function ArchiveDialog({ agent, revision, onClose }: ArchiveDialogProps) {
  const toast = useToast();
  const name = revisionName(revision);
  const archive = useWrite({
    send: (seen: AgentRevision, key) =>
      archiveRevision({ agent: agent.id, rev: seen.id, revision: seen.revision }, key),
    invalidates: [agentsKey],
    onSuccess: () => {
      toast(`${name} was archived`);
      onClose();
    },
  });
  return (
    <StepDialog
      busy={archive.isPending}
      confirmLabel="Archive"
      error={archive.error}
      onClose={onClose}
      onConfirm={() => archive.mutate(revision)}
      title={`Archive ${name.toLowerCase()}?`}
    >
      <p>
        {revision.state === "live"
          ? "This revision is live. Its tools become unavailable until another is promoted, and pending calls are refused."
          : "Nothing changes for users of the agent."}
      </p>
      <p>It is kept, and can go live again.</p>
    </StepDialog>
  );
}
