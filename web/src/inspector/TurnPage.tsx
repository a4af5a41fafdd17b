import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { holds, meQuery, settingsQuery, workflowUrl } from "../api/session";
import { turnQuery, type TurnEntry, type TurnReport } from "../api/turns";
import { duration } from "../health/format";
import { administrationRules } from "../shell/administration";
import { Badge } from "../ui/Badge";
import { Button, buttonShape } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { isMissing, MissingPage } from "../ui/Missing";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import type { Crumb } from "../ui/Trail";
import { Page, Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { Waterfall } from "./Waterfall";
import { cost, entryStatusWords, entryTitle, failureWords, feedbackWords, tokenWords, turnStatusWords } from "./words";

const route = getRouteApi("/app/turns/$turnId");
const all: Crumb[] = [{ label: "All turns", link: { to: "/admin/turns", search: {} } }];
const chats: Crumb[] = [{ label: "Chat", link: { to: "/chat" } }];

/** How one answer came about, step by step. */
export function TurnPage() {
  const { turnId } = route.useParams();
  const query = useQuery(turnQuery(turnId));
  const { data: settings } = useQuery(settingsQuery);
  const { data: me } = useQuery(meQuery);
  const report = query.data;
  if (!report && isMissing(query.error))
    return <MissingPage noun="answer" trail={holds(me, administrationRules.turns) ? all : chats} />;
  const temporal = workflowUrl(settings, `turn/${turnId}`);
  return (
    <Page
      actions={
        temporal && (
          <a
            className={`${buttonShape} border-input bg-card text-foreground hover:bg-muted`}
            data-testid="turn-temporal"
            href={temporal}
            rel="noreferrer"
            target="_blank"
          >
            Open in Temporal <Icon name="external" size={14} />
          </a>
        )
      }
      description={report && `${report.person.name || `Deleted ${report.person.kind}`}, ${fullTime(report.createdAt)}`}
      testId="turn-page"
      title={report?.kind === "decision" ? "Answer to a decision" : "Turn details"}
      trail={
        <nav aria-label="Breadcrumb" className="mb-1 flex gap-3 text-sm text-muted-foreground">
          {report?.conversationId && (
            <Link
              className="hover:text-foreground"
              params={{ conversationId: report.conversationId }}
              to="/chat/$conversationId"
            >
              To the chat
            </Link>
          )}
          {holds(me, administrationRules.turns) && (
            <Link className="hover:text-foreground" search={{}} to="/admin/turns">
              All turns
            </Link>
          )}
        </nav>
      }
    >
      {!report && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {!report && !query.error && <SkeletonRows rows={6} />}
      {report && <TurnDetails report={report} />}
    </Page>
  );
}

function TurnDetails({ report }: { report: TurnReport }) {
  const [table, setTable] = useState(false);
  return (
    <>
      <Facts report={report} />
      {report.error && (
        <p className="rounded-lg bg-danger-soft px-3 py-2.5 text-sm wrap-anywhere text-danger">{report.error}</p>
      )}
      {report.comment && (
        <figure className="rounded-lg border px-3 py-2.5 text-sm" data-testid="turn-comment">
          <blockquote className="wrap-anywhere whitespace-pre-wrap">{report.comment}</blockquote>
          <figcaption className="mt-1 text-xs text-muted-foreground">
            {report.person.name || "A user"} on this answer{report.saidAt && `, ${fullTime(report.saidAt)}`}
          </figcaption>
        </figure>
      )}
      {!report.readable && (
        <p className="text-sm text-muted-foreground" data-testid="turn-unreadable">
          Not your chat: messages, tool arguments and custom tool names are hidden.
        </p>
      )}
      <Panel
        actions={
          report.entries.length > 0 && (
            <Button data-testid="turn-table-toggle" onClick={() => setTable(!table)} variant="quiet">
              {table ? "Show as bars" : "Show as table"}
            </Button>
          )
        }
        title="Steps"
      >
        {report.entries.length === 0 ? (
          <EmptyState title={report.finishedAt ? "No steps" : "No steps yet"}>No model call was made.</EmptyState>
        ) : table ? (
          <StepTable entries={report.entries} />
        ) : (
          <Waterfall report={report} />
        )}
      </Panel>
      {report.entries.some(({ arguments: given }) => given) && <Arguments entries={report.entries} />}
    </>
  );
}

function Facts({ report }: { report: TurnReport }) {
  const status = turnStatusWords[report.status];
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3 text-sm" data-testid="turn-facts">
      <Fact label="Outcome">
        <Badge tone={status.tone}>{status.label}</Badge>
        {report.errorCode && <span className="ml-2 text-muted-foreground">{failureWords(report.errorCode)}</span>}
      </Fact>
      <Fact label={report.finishedAt ? "Took" : "Running for"}>{duration(report.tookMs)}</Fact>
      <Fact label="Model">
        {report.model}
        {report.connectionName && <span className="text-muted-foreground"> on {report.connectionName}</span>}
      </Fact>
      <Fact label="Tokens">{report.tokens.toLocaleString("en")}</Fact>
      <Fact label="Cost">{report.costMicros === undefined ? "no prices known" : cost(report.costMicros)}</Fact>
      <Fact label="Retries">{report.retries.toLocaleString("en")}</Fact>
      {report.takeovers > 0 && <Fact label="Taken over by another process">{report.takeovers}</Fact>}
      {report.verdict && <Fact label="Feedback">{feedbackWords[report.verdict]}</Fact>}
      {report.permissionMode === "auto" && <Fact label="Mode">auto</Fact>}
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted-foreground">{label}</dt>
      <dd className="mt-0.5 wrap-anywhere tabular-nums">{children}</dd>
    </div>
  );
}

const heads = ["Step", "Started", "Took", "First token", "Outcome", "Model", "Tokens", "Cost"];

function StepTable({ entries }: { entries: TurnEntry[] }) {
  return (
    <section
      aria-label="Steps as a table"
      className="overflow-x-auto"
      // Scrolls, so that a keyboard has to reach it.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      <table className="w-full text-left text-sm tabular-nums" data-testid="turn-table">
        <thead className="text-xs text-muted-foreground">
          <tr>
            {heads.map((head) => (
              <th className="px-2 py-1.5 font-medium whitespace-nowrap" key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {entries.map((entry) => (
            <tr key={`${entry.kind} ${entry.step} ${entry.number} ${entry.startMs}`}>
              <th className="px-2 py-1.5 font-normal" scope="row">
                {entryTitle(entry)}
                {entry.attempts && <span className="text-muted-foreground"> (made {entry.attempts} times)</span>}
              </th>
              <td className="px-2 py-1.5 whitespace-nowrap">{duration(entry.startMs)}</td>
              <td className="px-2 py-1.5 whitespace-nowrap">{duration(entry.tookMs)}</td>
              <td className="px-2 py-1.5 whitespace-nowrap">{duration(entry.firstMs)}</td>
              <td className="px-2 py-1.5">
                <Badge tone={entryStatusWords[entry.status].tone}>{entryStatusWords[entry.status].label}</Badge>
                {entry.failure && <div className="text-xs text-muted-foreground">{failureWords(entry.failure)}</div>}
              </td>
              <td className="px-2 py-1.5">{entry.model}</td>
              <td className="px-2 py-1.5">{tokenWords(entry)}</td>
              <td className="px-2 py-1.5">{entry.costMicros === undefined ? "" : cost(entry.costMicros)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Arguments of tool calls. */
function Arguments({ entries }: { entries: TurnEntry[] }) {
  return (
    <Panel title="Arguments">
      <ul className="flex flex-col gap-3">
        {entries
          .filter((entry) => entry.arguments)
          .map((entry) => (
            <li key={`${entry.step} ${entry.number}`}>
              <details>
                <summary className="cursor-pointer text-sm">
                  {entryTitle(entry)} <span className="text-muted-foreground">in step {entry.step}</span>
                </summary>
                <pre className="mt-1 rounded-lg bg-muted p-3 text-xs wrap-anywhere whitespace-pre-wrap">
                  {pretty(entry.arguments ?? "")}
                  {entry.cut && "\n…"}
                </pre>
              </details>
            </li>
          ))}
      </ul>
    </Panel>
  );
}

/** JSON with line breaks; other text unchanged. */
function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
