import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { agentQuery, bundleQuery, toolContextQuery } from "../../api/agents";
import { meQuery } from "../../api/session";
import { isMissing, MissingPage } from "../../ui/Missing";
import { EmptyState, ErrorNotice, SkeletonRows } from "../../ui/Notice";
import { Page } from "../../ui/Page";
import type { Crumb } from "../../ui/Trail";
import { ToolStudio } from "./ToolStudio";

const route = getRouteApi("/app/agents/editor");
const trail: Crumb[] = [{ label: "Agents", link: { to: "/agents" } }];

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
  if (isMissing(agent.error)) return <MissingPage noun="agent" trail={trail} />;
  if (isMissing(bundle.error)) return <MissingPage noun="revision" trail={trail} />;
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
