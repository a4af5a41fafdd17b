import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { agentsKey, type Agent, type AgentRevision, type Verdict } from "../../api/agents";
import { deleteDraft, validateRevision } from "../../api/agentcalls";
import { useWrite } from "../../api/write";
import { mayEdit, mayOwn } from "../../catalog/permission";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { DeleteDialog } from "../../ui/DeleteDialog";
import { IconButton } from "../../ui/IconButton";
import { ErrorNotice } from "../../ui/Notice";
import { canBeArchived, canGoLive, isDraft } from "../permission";
import type { TabId } from "../tabs";
import { revisionName, states } from "../words";
import { ArchiveDialog } from "./ArchiveDialog";
import { Findings } from "./Findings";
import { FreezeDialog } from "./FreezeDialog";
import { NewDraftButton } from "./NewDraftButton";
import { PromoteDialog } from "./PromoteDialog";

interface RevisionBarProps {
  agent: Agent;
  revision: AgentRevision;
  revisions: readonly AgentRevision[];
  tab: TabId;
}

type Open = "freeze" | "promote" | "archive" | "delete" | null;

/** Which revision is shown, where it stands, and what can become of it. */
export function RevisionBar({ agent, revision, revisions, tab }: RevisionBarProps) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const validate = useWrite({
    send: (rev: string): Promise<Verdict> => validateRevision({ agent: agent.id, rev }),
  });
  const state = states[revision.state];
  const goBack = revision.state === "archived";
  const show = (number: number | undefined) =>
    void navigate({
      to: "/agents/$agentId",
      params: { agentId: agent.id },
      search: { tab: tab === "tools" ? undefined : tab, revision: number },
    });
  return (
    <section
      aria-label="Revision"
      className="flex flex-col gap-3 rounded-xl border bg-card px-4 py-3"
      data-testid="revision-bar"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <select
          aria-label="Revision"
          className="rounded-lg border border-input bg-card px-3 py-2 text-sm font-medium"
          data-testid="revision-picker"
          onChange={(event) => show(Number(event.currentTarget.value))}
          value={revision.number}
        >
          {revisions.map(({ id, number, state: of }) => (
            <option key={id} value={number}>
              Revision {number}, {states[of].label.toLowerCase()}
            </option>
          ))}
        </select>
        <Badge tone={state.tone}>{state.label}</Badge>
        <p className="min-w-0 flex-1 basis-52 text-sm text-muted-foreground">{state.hint}</p>
        <div className="flex flex-wrap items-center gap-2">
          {isDraft(revision) && mayEdit(agent) && (
            <IconButton icon="trash" label={`Delete ${revisionName(revision)}`} onClick={() => setOpen("delete")} />
          )}
          {isDraft(revision) && (
            <Button
              busy={validate.isPending}
              data-testid="validate"
              icon="check"
              onClick={() => validate.mutate(revision.id)}
            >
              Check
            </Button>
          )}
          {mayEdit(agent) && !isDraft(revision) && (
            <NewDraftButton agent={agent} from={revision} label="New draft from it" />
          )}
          {mayOwn(agent) && canBeArchived(revision) && (
            <Button data-testid="archive" onClick={() => setOpen("archive")}>
              Archive
            </Button>
          )}
          {mayOwn(agent) && isDraft(revision) && (
            <Button data-testid="freeze" onClick={() => setOpen("freeze")} variant="primary">
              Freeze
            </Button>
          )}
          {mayOwn(agent) && canGoLive(revision) && (
            <Button data-testid="promote" onClick={() => setOpen("promote")} variant="primary">
              {goBack ? "Roll back to it" : "Promote"}
            </Button>
          )}
        </div>
      </div>
      <ErrorNotice error={validate.error} />
      {validate.data && (
        <div className="flex flex-col gap-2" data-testid="validation" role="status">
          <p className="text-sm">
            {validate.data.ok ? "Ready to freeze. Freezing also runs its examples." : "Cannot be frozen yet:"}
          </p>
          <Findings agentId={agent.id} number={revision.number} report={validate.data} />
        </div>
      )}
      {open === "freeze" && <FreezeDialog agent={agent} onClose={close} revision={revision} />}
      {open === "promote" && <PromoteDialog agent={agent} onClose={close} revision={revision} />}
      {open === "archive" && <ArchiveDialog agent={agent} onClose={close} revision={revision} />}
      {open === "delete" && (
        <DeleteDialog
          invalidates={[agentsKey]}
          item={revision}
          name={revisionName(revision)}
          noun="draft"
          onClose={close}
          onDeleted={() => show(undefined)}
          send={deleteDraft}
          warning="Its contents are deleted. Other revisions are kept. This cannot be undone."
        />
      )}
    </section>
  );
}
