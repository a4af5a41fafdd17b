import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { diffQuery, type Agent, type AgentRevision } from "../../api/agents";
import { count } from "../../health/format";
import { DiffView } from "../../proposals/ChangeView";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { SelectField } from "../../ui/Field";
import { ErrorNotice, SkeletonRows } from "../../ui/Notice";
import { Panel } from "../../ui/Page";
import { Row, Rows } from "../../ui/Rows";
import { fullTime } from "../../ui/time";
import { revisionName, states } from "../words";
import { fileText, fileWords } from "./files";

interface RevisionsPanelProps {
  agent: Agent;
  revisions: readonly AgentRevision[];
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  shown: AgentRevision;
}

/** All revisions, and what differs between two of them. */
export function RevisionsPanel({ agent, revisions, query, shown }: RevisionsPanelProps) {
  return (
    <>
      <Comparison agent={agent} key={shown.id} revisions={revisions} shown={shown} />
      <Rows itemKey={({ id }) => id} items={revisions} label="Revisions">
        {(revision) => <RevisionRow agent={agent} revision={revision} revisions={revisions} />}
      </Rows>
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} className="self-center" onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

function RevisionRow({
  agent,
  revision,
  revisions,
}: Omit<RevisionsPanelProps, "query" | "shown"> & { revision: AgentRevision }) {
  const { label, tone } = states[revision.state];
  const source = revisions.find(({ id }) => id === revision.clonedFrom);
  const facts = [
    count(revision.toolCount, "tool"),
    source && `a copy of ${revisionName(source).toLowerCase()}`,
    `by ${revision.createdBy.name ?? "a deleted account"}, ${fullTime(revision.createdAt)}`,
    revision.frozenAt && `frozen ${fullTime(revision.frozenAt)}`,
    revision.promotedAt && `went live ${fullTime(revision.promotedAt)}`,
  ].filter(Boolean);
  return (
    <Row
      badges={<Badge tone={tone}>{label}</Badge>}
      detail={
        <>
          {facts.join(", ")}
          {revision.bundleSha256 && (
            <span className="block font-mono text-xs" title={revision.bundleSha256}>
              {revision.bundleSha256.slice(0, 12)}
            </span>
          )}
        </>
      }
      title={
        <Link
          className="hover:text-primary"
          data-testid="revision-link"
          params={{ agentId: agent.id }}
          search={{ revision: revision.number }}
          to="/agents/$agentId"
        >
          {revisionName(revision)}
        </Link>
      }
    />
  );
}

/** Two revisions side by side, part by part. */
function Comparison({ agent, revisions, shown }: Omit<RevisionsPanelProps, "query">) {
  const others = revisions.filter(({ id }) => id !== shown.id);
  const [against, setAgainst] = useState(() => firstOther(others, shown)?.number);
  if (against === undefined) return null;
  return (
    <Panel title={`Changes in ${revisionName(shown).toLowerCase()}`}>
      <div className="flex flex-col gap-4">
        <SelectField
          data-testid="compare-with"
          label="Compared with"
          onChange={(event) => setAgainst(Number(event.currentTarget.value))}
          value={against}
        >
          {others.map(({ id, number, state }) => (
            <option key={id} value={number}>
              Revision {number}, {states[state].label.toLowerCase()}
            </option>
          ))}
        </SelectField>
        <Difference agent={agent} from={against} to={shown.number} />
      </div>
    </Panel>
  );
}

/** Most likely revision to compare with: the source of the copy, the live one, or the previous one. */
function firstOther(others: readonly AgentRevision[], shown: AgentRevision): AgentRevision | undefined {
  return (
    others.find(({ id }) => id === shown.clonedFrom) ??
    others.find(({ state }) => state === "live") ??
    others.find(({ number }) => number < shown.number) ??
    others[0]
  );
}

function Difference({ agent, from, to }: { agent: Agent; from: number; to: number }) {
  const { data, error, refetch } = useQuery(diffQuery({ agent: agent.id, rev: String(to) }, String(from)));
  if (!data) return error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={2} />;
  // Generated files change with their source.
  const files = data.files.filter(({ generated }) => !generated);
  if (files.length === 0) return <p className="text-sm text-muted-foreground">No differences.</p>;
  const shown = files
    .filter(({ truncated }) => !truncated)
    .map(({ path, before, after }) => ({
      path: fileWords(path),
      before: fileText(path, before),
      after: fileText(path, after),
    }));
  const large = files.filter(({ truncated }) => truncated);
  return (
    <>
      {shown.length > 0 && <DiffView changes={shown} />}
      {large.length > 0 && (
        <p className="text-sm text-muted-foreground wrap-anywhere">
          Too large to show: {large.map(({ path }) => fileWords(path)).join(", ")}.
        </p>
      )}
    </>
  );
}
