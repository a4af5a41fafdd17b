import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { auditCallQuery, type Actor, type AuditFilter, type ToolCallDetail } from "../api/audit";
import { settingsQuery, workflowUrl } from "../api/session";
import { actorName, programName } from "../history/words";
import { Badge } from "../ui/Badge";
import { Drawer } from "../ui/Drawer";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { callStatusTones, effectTones, refusedAgain, transportLabels } from "./auditwords";

const link = "text-primary underline underline-offset-2";

/** One call with everything that happened to it, from the right edge. */
export function AuditDetail({ id, filter, onClose }: { id: string; filter: AuditFilter; onClose: () => void }) {
  const { data: call, error, refetch } = useQuery(auditCallQuery(id));
  return (
    <Drawer label="Tool call" onClose={onClose} side="right">
      <div className="flex h-full flex-col gap-5 overflow-y-auto px-5 py-4" data-testid="audit-detail">
        <header className="flex items-start justify-between gap-3">
          <h2 className="min-w-0 font-mono text-sm font-semibold wrap-anywhere">{call?.toolName ?? "Tool call"}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        {!call && !error && <SkeletonRows />}
        {call && <Facts call={call} filter={filter} />}
        {call && <History call={call} />}
      </div>
    </Drawer>
  );
}

function Facts({ call, filter }: { call: ToolCallDetail; filter: AuditFilter }) {
  const { data: settings } = useQuery(settingsQuery);
  const turn = call.turnId && workflowUrl(settings, `turn/${call.turnId}`);
  return (
    <dl className="grid grid-cols-[7rem_1fr] gap-x-3 gap-y-2 text-sm">
      <Fact name="Status">
        <Badge tone={callStatusTones[call.status]}>{call.status}</Badge>{" "}
        {call.errorCode && <code className="font-mono text-xs">{call.errorCode}</code>}
      </Fact>
      <Fact name="Effect">
        <Badge tone={effectTones[call.effect]}>{call.effect}</Badge>
      </Fact>
      <Fact name="Asked by">
        <Who actor={call.principal} filter={filter} />
      </Fact>
      {call.appliedBy && (
        <Fact name="Applied by">
          <Who actor={call.appliedBy} filter={filter} />
        </Fact>
      )}
      <Fact name="Channel">{transportLabels[call.transport]}</Fact>
      <Fact name="Called">{exactTime(call.createdAt)}</Fact>
      {call.finishedAt && <Fact name="Ended">{exactTime(call.finishedAt)}</Fact>}
      {call.more && <Fact name="Refused again">{refusedAgain(call.more, exactTime)}</Fact>}
      <Fact name="Call">
        <code className="font-mono text-xs wrap-anywhere">{call.id}</code>
      </Fact>
      <Fact name="Arguments">
        <code className="font-mono text-xs wrap-anywhere">{call.argsHash}</code>
      </Fact>
      {call.turnId && (
        <Fact name="Turn">
          {call.conversationId && turn ? (
            <a className={`${link} font-mono text-xs wrap-anywhere`} href={turn} rel="noreferrer" target="_blank">
              {call.turnId}
            </a>
          ) : (
            <code className="font-mono text-xs wrap-anywhere">{call.turnId}</code>
          )}
          {call.step !== undefined && <span className="text-muted-foreground"> step {call.step}</span>}
        </Fact>
      )}
      {call.conversationId && (
        <Fact name="Conversation">
          <Link className={link} params={{ conversationId: call.conversationId }} to="/chat/$conversationId">
            Open it
          </Link>
        </Fact>
      )}
      {call.proposalId && (
        <Fact name="Proposal">
          <Link className={link} search={{ status: "all", proposal: call.proposalId }} to="/proposals">
            Open it
          </Link>
        </Fact>
      )}
      {call.status === "applied" && (
        <Fact name="Changes">
          <Link className={link} search={{ proposal: call.id }} to="/admin/audit/changes">
            Changes made
          </Link>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted-foreground">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

function Who({ actor, filter }: { actor: Actor; filter: AuditFilter }) {
  return (
    <>
      <Link
        className={link}
        search={{ ...filter, principal: actor.id }}
        title="Show only their calls"
        to="/admin/audit"
      >
        {actorName(actor)}
      </Link>
      {actor.kind === "user" && actor.program && (
        <>
          {" through "}
          <Link
            className={`${link} wrap-anywhere`}
            search={{ ...filter, program: actor.program.id }}
            title={`Show only calls through it. Its name is unverified; its id is ${actor.program.id}`}
            to="/admin/audit"
          >
            {programName(actor.program)}
          </Link>
        </>
      )}
    </>
  );
}

function History({ call }: { call: ToolCallDetail }) {
  return (
    <section aria-label="History" className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">History</h3>
      <ol className="flex flex-col gap-2">
        {call.history.map((change) => (
          <li className="rounded-lg border px-3 py-2 text-sm" key={change.entry}>
            <div className="flex flex-wrap items-center justify-between gap-2">
              <Badge tone={callStatusTones[change.status]}>{change.status}</Badge>
              <span className="text-xs text-muted-foreground">{exactTime(change.at)}</span>
            </div>
            {change.callId !== call.id && (
              <p className="mt-1 text-xs text-muted-foreground">
                under the id <code className="font-mono">{change.callId}</code>
              </p>
            )}
            <p className="mt-1 font-mono text-xs wrap-anywhere text-muted-foreground">
              {change.seq === undefined ? "not in the chain yet" : `${change.seq}:${change.hash}`}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function exactTime(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime())
    ? ""
    : time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}
