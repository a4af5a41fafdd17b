import { useNavigate } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import { agentsKey, type Agent, type AgentRevision } from "../../api/agents";
import { createRevision } from "../../api/agentcalls";
import { useWrite } from "../../api/write";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/Notice";
import { useToast } from "../../ui/Toast";

interface NewDraftButtonProps {
  agent: Agent;
  /** The revision that the draft begins with; without it it is empty. */
  from?: Pick<AgentRevision, "id">;
  /** A tool in it to go on with. */
  tool?: string;
  label: string;
  variant?: ComponentProps<typeof Button>["variant"];
}

/** Makes a draft, and leads to it, or to one of its tools. */
export function NewDraftButton({ agent, from, tool, label, variant }: NewDraftButtonProps) {
  const navigate = useNavigate();
  const toast = useToast();
  const create = useWrite({
    send: (source: string | undefined, key) => createRevision(agent.id, source, key),
    invalidates: [agentsKey],
    onSuccess: ({ number }) => {
      toast(`Revision ${number} is a new draft`);
      if (tool) void navigate({ to: "/agents/editor", search: { agent: agent.id, revision: number, tool } });
      else void navigate({ to: "/agents/$agentId", params: { agentId: agent.id }, search: { revision: number } });
    },
  });
  return (
    <>
      <Button
        busy={create.isPending}
        data-testid="new-draft"
        icon="plus"
        onClick={() => create.mutate(from?.id)}
        variant={variant}
      >
        {label}
      </Button>
      <ErrorNotice error={create.error} />
    </>
  );
}
