import { useInfiniteQuery } from "@tanstack/react-query";
import { usesQuery, type Agent, type Use } from "../api/agents";
import { mayEdit } from "../catalog/permission";
import { duration } from "../scripts/problems";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Row, Rows } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { verdictOf } from "./studio/answers";

/** Calls of the agent's live tools, with callers and outcomes. */
export function UsesPanel({ agent }: { agent: Agent }) {
  const uses = useInfiniteQuery(usesQuery(agent.id));
  const now = useNow(60_000);
  const list = uses.data?.pages.flatMap((page) => page.uses);
  return (
    <section aria-label="Uses" className="flex flex-col gap-3" data-testid="uses">
      <p className="text-sm text-muted-foreground">
        {mayEdit(agent)
          ? "Calls of its live tools in the last 90 days. Arguments and answers are not kept."
          : "Your calls of its live tools in the last 90 days. Arguments and answers are not kept."}
      </p>
      {!list &&
        (uses.error ? <ErrorNotice error={uses.error} onRetry={() => void uses.refetch()} /> : <SkeletonRows />)}
      {list?.length === 0 && (
        <EmptyState title="No call yet">
          {agent.liveRevision
            ? "Ask the assistant for a task of one of its tools."
            : "Its tools are available once a revision is live."}
        </EmptyState>
      )}
      {list && list.length > 0 && (
        <Rows itemKey={({ id }) => id} items={list} label="Uses">
          {(use) => <UseRow now={now} use={use} />}
        </Rows>
      )}
      {uses.hasNextPage && (
        <Button busy={uses.isFetchingNextPage} className="self-center" onClick={() => void uses.fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}

function UseRow({ use, now }: { use: Use; now: number }) {
  const { tool, by, inChat, ok, errorCode, revision } = use;
  const verdict = verdictOf({ ok, error: errorCode ? { code: errorCode } : undefined });
  return (
    <Row
      actions={
        <span className="text-sm text-muted-foreground" title={fullTime(use.at)}>
          {timeAgo(use.at, now)}
        </span>
      }
      badges={<Badge tone={verdict.tone}>{verdict.label}</Badge>}
      detail={`${by.name ?? "A deleted account"}${inChat ? ", in a chat" : ""}, with revision ${revision}, ${duration(use.durationMs)}`}
      title={<code className="font-mono text-sm">{tool}</code>}
    />
  );
}
