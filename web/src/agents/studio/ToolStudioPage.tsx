import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { agentQuery, bundleQuery, toolContextQuery } from "../../api/agents";
import { meQuery } from "../../api/session";
import { EmptyState, ErrorNotice, SkeletonRows } from "../../ui/Notice";
import { Page } from "../../ui/Page";
import { ToolStudio } from "./ToolStudio";

const route = getRouteApi("/app/agents/editor");

/** The page in which a tool is written, tried and saved. */
export function ToolStudioPage() {
  const { agent: agentId = "", revision = 0, tool = "" } = route.useSearch();
  const named = agentId !== "" && revision > 0 && tool !== "";
  const agent = useQuery({ ...agentQuery(agentId), enabled: named });
  const bundle = useQuery({ ...bundleQuery({ agent: agentId, rev: String(revision) }), enabled: named });
  const context = useQuery(toolContextQuery);
  const { data: me } = useQuery(meQuery);
  const error = agent.error ?? bundle.error ?? context.error;
  if (me && agent.data && bundle.data && context.data)
    return (
      <ToolStudio
        agent={agent.data}
        bundle={bundle.data}
        context={context.data}
        key={`${agentId} ${revision} ${tool}`}
        number={revision}
        person={me.id}
        toolId={tool}
      />
    );
  return (
    <Page title="Tool studio">
      {!named && (
        <EmptyState title="No tool was named">Open an agent, and choose one of its tools or a new one.</EmptyState>
      )}
      {named && error && (
        <ErrorNotice
          error={error}
          onRetry={() => {
            for (const query of [agent, bundle, context]) if (query.error) void query.refetch();
          }}
        />
      )}
      {named && !error && <SkeletonRows />}
    </Page>
  );
}
