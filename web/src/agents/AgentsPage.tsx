import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { agentsKey, agentsQuery, type Agent } from "../api/agents";
import { deleteAgent } from "../api/agentcalls";
import { mayEdit, mayOwn } from "../catalog/permission";
import { count } from "../health/format";
import { leadOn } from "../ui/arrival";
import { Badge } from "../ui/Badge";
import { besidePage } from "../ui/beside";
import { ListPage, pagedList } from "../ui/ListPage";
import { Row } from "../ui/Rows";
import { SearchField } from "../ui/SearchField";
import { useToast } from "../ui/Toast";
import { useAgentPermission } from "./permission";
import { deletionWarning } from "./words";

const route = getRouteApi("/app/agents");

const [AgentForm, useFormAhead] = besidePage(async () => (await import("./AgentForm")).AgentForm);

/** Agents with custom tools. */
export function AgentsPage() {
  const { query = "" } = route.useSearch();
  const navigate = useNavigate();
  const toast = useToast();
  const { manage } = useAgentPermission();
  useFormAhead(manage);
  const agents = useInfiniteQuery({ ...agentsQuery(query), placeholderData: keepPreviousData });
  return (
    <ListPage
      create={
        manage
          ? (close) => (
              <AgentForm
                onClose={close}
                onSaved={(agent) => {
                  toast(`${agent.name} was created`);
                  leadOn();
                  void navigate({ to: "/agents/$agentId", params: { agentId: agent.id }, search: {} });
                }}
              />
            )
          : undefined
      }
      description="Custom tools with instructions, skills and secrets. Chats can use live revisions."
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
      empty={
        query
          ? { title: `No agent matches “${query}”`, hint: "Try a shorter word." }
          : {
              title: "No agents yet",
              hint: manage ? "Create one, and write its first tool." : "No agents are shared with you.",
            }
      }
      filters={
        <SearchField
          label="Search agents"
          onSearch={(text) => void navigate({ to: "/agents", search: { query: text || undefined }, replace: true })}
          placeholder="Search by name or description"
          testId="agent-search"
          value={query}
        />
      }
      history={({ id }) => ({ type: "agent.agent", id })}
      itemKey={({ id }) => id}
      list={pagedList(agents, (page) => page.agents)}
      moreHint={(shown) => `These are the first ${shown}. Search to find others faster.`}
      name={({ name }) => name}
      noun="agent"
      removable={mayOwn}
      remove={{ send: deleteAgent, invalidates: [agentsKey], warning: deletionWarning }}
      row={(agent, actions) => <AgentRow actions={actions} agent={agent} />}
      title="Agents"
    />
  );
}

function AgentRow({ agent, actions }: { agent: Agent; actions: ReactNode }) {
  return (
    <Row
      actions={actions}
      badges={
        <>
          {agent.liveRevision ? (
            <Badge tone="success">Live: revision {agent.liveRevision.number}</Badge>
          ) : (
            <Badge>Not live</Badge>
          )}
          {agent.draftCount > 0 && <Badge tone="primary">{count(agent.draftCount, "draft")}</Badge>}
          {agent.private && <Badge title="Visible only to those it is shared with">Private</Badge>}
        </>
      }
      detail={
        <>
          <code className="font-mono text-xs">{agent.slug}</code>, {count(agent.toolCount, "tool")}
          {agent.description && <span className="block">{agent.description}</span>}
        </>
      }
      title={
        <Link
          className="hover:text-primary"
          data-testid="agent-link"
          params={{ agentId: agent.id }}
          search={{}}
          to="/agents/$agentId"
        >
          {agent.name}
        </Link>
      }
    />
  );
}
