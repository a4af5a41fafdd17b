import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { agentQuery, agentsKey, bundleQuery, revisionsQuery, type Agent, type AgentRevision } from "../api/agents";
import { deleteAgent } from "../api/agentcalls";
import { mayEdit, mayOwn } from "../catalog/permission";
import { Badge } from "../ui/Badge";
import { changedAt, DetailPage } from "../ui/DetailPage";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { AgentForm } from "./AgentForm";
import { AgentTabs } from "./AgentTabs";
import { InstructionsPanel } from "./InstructionsPanel";
import { chooseRevision } from "./revision/choose";
import { NewDraftButton } from "./revision/NewDraftButton";
import { RevisionBar } from "./revision/RevisionBar";
import { RevisionsPanel } from "./revision/RevisionsPanel";
import { SharingPanel } from "./SharingPanel";
import { SkillsPanel } from "./SkillsPanel";
import { SpecPanel } from "./spec/SpecPanel";
import { ofRevision, type TabId } from "./tabs";
import { ToolsPanel } from "./tools/ToolsPanel";
import { UsesPanel } from "./UsesPanel";
import { deletionWarning } from "./words";

const route = getRouteApi("/app/agents/$agentId");
const trail: Crumb[] = [{ label: "Agents", link: { to: "/agents", search: {} } }];

/** One agent: what its revisions hold, which of them is live, who uses it, and with whom it is shared. */
export function AgentPage() {
  const { agentId } = route.useParams();
  const { tab = "tools", revision: wanted } = route.useSearch();
  const navigate = useNavigate();
  const toast = useToast();
  return (
    <DetailPage
      badges={(agent) => (
        <>
          {agent.liveRevision ? (
            <Badge tone="success">Live: revision {agent.liveRevision.number}</Badge>
          ) : (
            <Badge>Not live</Badge>
          )}
          {agent.private && <Badge title="Visible only to those it is shared with">Private</Badge>}
          <code className="font-mono text-xs">agent.{agent.slug}</code>
        </>
      )}
      description={({ description }) => description || "No description"}
      edit={(agent, close) => (
        <AgentForm
          agent={agent}
          onClose={close}
          onSaved={() => {
            toast("Saved");
            close();
          }}
        />
      )}
      editable={mayEdit}
      history={({ id }) => (tab === "revisions" ? { type: "agent.agent", id } : undefined)}
      name={({ name }) => name}
      noun="agent"
      onDeleted={() => navigate({ to: "/agents", search: {} })}
      origin={changedAt}
      query={useQuery(agentQuery(agentId))}
      removable={mayOwn}
      remove={{
        send: deleteAgent,
        invalidates: [[...agentsKey, "list"]],
        warning: deletionWarning,
      }}
      trail={trail}
    >
      {(agent) => (
        <>
          <LeftOutTools agent={agent} />
          <AgentTabs agentId={agentId} tab={tab} wanted={wanted} />
          <Content agent={agent} tab={tab} wanted={wanted} />
        </>
      )}
    </DetailPage>
  );
}

/** Live tools that do not reach the assistant, or cannot succeed. */
function LeftOutTools({ agent: { leftOut } }: { agent: Agent }) {
  if (!leftOut?.length) return null;
  return (
    <ul
      aria-label="Unavailable live tools"
      className="list-disc rounded-lg bg-warning-soft py-2 pr-3 pl-7 text-sm text-warning"
      data-testid="left-out-tools"
    >
      {leftOut.map(({ tool, reason, message }) => (
        <li className="wrap-anywhere" key={`${tool} ${reason} ${message}`}>
          {message}
        </li>
      ))}
    </ul>
  );
}

function Content({ agent, tab, wanted }: { agent: Agent; tab: TabId; wanted: number | undefined }) {
  const revisions = useInfiniteQuery(revisionsQuery(agent.id));
  const all = revisions.data?.pages.flatMap((page) => page.revisions);
  if (tab === "uses") return <UsesPanel agent={agent} />;
  if (tab === "sharing") return <SharingPanel agent={agent} />;
  if (!all)
    return revisions.error ? (
      <ErrorNotice error={revisions.error} onRetry={() => void revisions.refetch()} />
    ) : (
      <SkeletonRows />
    );
  const shown = chooseRevision(all, wanted, mayEdit(agent));
  if (!shown)
    return (
      <EmptyState
        action={mayEdit(agent) && <NewDraftButton agent={agent} label="First draft" variant="primary" />}
        title="No revision yet"
      >
        A revision holds the tools, instructions and skills of an agent. It starts as a draft.
      </EmptyState>
    );
  return (
    <>
      <RevisionBar agent={agent} key={shown.id} revision={shown} revisions={all} tab={tab} />
      {ofRevision.includes(tab) && <RevisionContent agent={agent} revision={shown} tab={tab} />}
      {tab === "revisions" && <RevisionsPanel agent={agent} query={revisions} revisions={all} shown={shown} />}
    </>
  );
}

function RevisionContent({ agent, revision, tab }: { agent: Agent; revision: AgentRevision; tab: TabId }) {
  const { data: bundle, error, refetch } = useQuery(bundleQuery({ agent: agent.id, rev: String(revision.number) }));
  if (!bundle) return error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows />;
  const shared = { agent, bundle, number: revision.number, writable: bundle.state === "draft" && mayEdit(agent) };
  return (
    <>
      {bundle.warnings.length > 0 && (
        <ul
          className="list-disc rounded-lg bg-warning-soft py-2 pr-3 pl-7 text-sm text-warning"
          data-testid="bundle-warnings"
        >
          {bundle.warnings.map((warning) => (
            <li className="wrap-anywhere" key={warning}>
              {warning}
            </li>
          ))}
        </ul>
      )}
      {tab === "tools" && <ToolsPanel {...shared} />}
      {tab === "instructions" && <InstructionsPanel {...shared} />}
      {tab === "skills" && <SkillsPanel {...shared} />}
      {tab === "spec" && <SpecPanel {...shared} />}
    </>
  );
}
