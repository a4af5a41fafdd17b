import { useQuery } from "@tanstack/react-query";
import { agentsKey, bundleQuery, type Agent, type AgentRevision } from "../../api/agents";
import { promoteRevision } from "../../api/agentcalls";
import { useWrite } from "../../api/write";
import { SkeletonRows } from "../../ui/Notice";
import { useToast } from "../../ui/Toast";
import { revisionName } from "../words";
import { changesBetween } from "./changes";
import { StepDialog } from "./StepDialog";

interface PromoteDialogProps {
  agent: Agent;
  revision: AgentRevision;
  onClose: () => void;
}

/** Makes a revision the live one, after saying what becomes different, and for whom. */
export function PromoteDialog({ agent, revision, onClose }: PromoteDialogProps) {
  const toast = useToast();
  const name = revisionName(revision);
  const live = agent.liveRevision;
  const next = useQuery(bundleQuery({ agent: agent.id, rev: String(revision.number) }));
  const now = useQuery({
    ...bundleQuery({ agent: agent.id, rev: String(live?.number ?? 0) }),
    enabled: live !== undefined,
  });
  const promote = useWrite({
    send: (seen: AgentRevision, key) =>
      promoteRevision({ agent: agent.id, rev: seen.id, revision: seen.revision }, key),
    invalidates: [agentsKey],
    onSuccess: () => {
      toast(`${name} is live`);
      onClose();
    },
  });
  const known = next.data && (!live || now.data);
  const changes = next.data && known ? changesBetween(now.data?.bundle, next.data.bundle) : null;
  return (
    <StepDialog
      busy={promote.isPending}
      confirmLabel={revision.state === "archived" ? "Roll back to it" : "Promote"}
      disabled={!changes}
      error={promote.error ?? next.error ?? now.error}
      onClose={onClose}
      onConfirm={() => promote.mutate(revision)}
      title={revision.state === "archived" ? `Roll back to ${name.toLowerCase()}?` : `Promote ${name.toLowerCase()}?`}
    >
      <p>
        {live
          ? `It replaces revision ${live.number}, which is archived and can be restored.`
          : "This is the first live revision."}
      </p>
      <p data-testid="promote-audience">
        {agent.private
          ? "It applies from the next call, for everybody the agent is shared with."
          : "It applies from the next call, for everybody with access to the agent."}
      </p>
      {!changes && !next.error && !now.error && <SkeletonRows rows={2} />}
      {changes && changes.length === 0 && <p>No differences from the live revision.</p>}
      {changes && changes.length > 0 && (
        <ul className="list-disc pl-5" data-testid="promote-changes">
          {changes.map((sentence) => (
            <li className="wrap-anywhere" key={sentence}>
              {sentence}
            </li>
          ))}
        </ul>
      )}
    </StepDialog>
  );
}
