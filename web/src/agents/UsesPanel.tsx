import { useQuery } from "@tanstack/react-query";
import { usesQuery, type Agent } from "../api/agents";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";

/** Who uses the agent's tools. */
export function UsesPanel({ agent }: { agent: Agent }) {
  const { data, error, refetch } = useQuery(usesQuery(agent.id));
  return (
    <Panel title="Who uses it">
      {!data && (error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={3} />)}
      {data && <pre>{JSON.stringify(data)}</pre>}
    </Panel>
  );
}
