import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { feedbackCountQuery } from "../api/feedback";
import { turnsQuery, slowSeconds, turnFeedbacks, turnStatuses, type TurnFilter, type TurnLine } from "../api/turns";
import { settingsQuery, workflowUrl } from "../api/session";
import { duration } from "../health/format";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { SelectFilter } from "../ui/Filters";
import { Icon } from "../ui/Icon";
import { ListPage, pagedList } from "../ui/ListPage";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { failureWords, feedbackWords, turnStatusWords } from "./words";

const route = getRouteApi("/app/admin/turns");

/** The turns of everybody, the newest first. */
export function TurnsPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const now = useNow(30_000);
  const query = useInfiniteQuery({ ...turnsQuery(filter), placeholderData: keepPreviousData });
  const { data: settings } = useQuery(settingsQuery);
  const { data: said } = useQuery(feedbackCountQuery);
  const list = pagedList(query, (page) => page.turns);
  const set = (change: TurnFilter) =>
    void navigate({ to: "/admin/turns", search: { ...filter, ...change }, replace: true });
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const person = list.items?.find((turn) => turn.person.id === filter.principalId)?.person.name;
  return (
    <ListPage<TurnLine>
      actions={
        <Button icon="repeat" onClick={() => void query.refetch()}>
          Refresh
        </Button>
      }
      description={`Timings, tokens, models and outcomes of answers, without their content.${
        said && said.up + said.down > 0
          ? ` In the last ${said.days} days people marked ${answers(said.up)} as helpful and ${answers(said.down)} as not helpful.`
          : ""
      }`}
      empty={{
        title: filtered ? "No turns match these filters" : "No turns yet",
        action: filtered && (
          <Button onClick={() => void navigate({ to: "/admin/turns", search: {}, replace: true })}>
            Clear filters
          </Button>
        ),
      }}
      filters={
        <>
          <SelectFilter
            label="Outcome"
            onChange={(status) => set({ status })}
            options={[
              { value: undefined, label: "Any outcome" },
              ...turnStatuses.map((value) => ({ value, label: turnStatusWords[value].label })),
            ]}
            testId="turn-status"
            value={filter.status}
          />
          <SelectFilter
            label="Duration"
            onChange={(seconds) => set({ slowSeconds: seconds === undefined ? undefined : Number(seconds) })}
            options={[
              { value: undefined, label: "Any duration" },
              ...slowSeconds.map((seconds) => ({ value: String(seconds), label: `${seconds} s or longer` })),
            ]}
            testId="turn-slow"
            value={filter.slowSeconds === undefined ? undefined : String(filter.slowSeconds)}
          />
          <SelectFilter
            label="Feedback"
            onChange={(feedback) => set({ feedback })}
            options={[
              { value: undefined, label: "Any feedback or none" },
              ...turnFeedbacks.map((value) => ({ value, label: feedbackWords[value] })),
            ]}
            testId="turn-feedback"
            value={filter.feedback}
          />
          {filter.principalId && (
            <Button icon="close" onClick={() => set({ principalId: undefined })}>
              Only {person ?? "one person"}
            </Button>
          )}
          {filter.model && (
            <Button icon="close" onClick={() => set({ model: undefined })}>
              Only {filter.model}
            </Button>
          )}
        </>
      }
      itemKey={(turn) => turn.id}
      list={list}
      name={(turn) => `turn of ${turn.person.name ?? turn.person.kind}`}
      noun="turn"
      row={(turn) => (
        <TurnRow filter={filter} now={now} temporal={workflowUrl(settings, `turn/${turn.id}`)} turn={turn} />
      )}
      title="Turns"
    />
  );
}

interface TurnRowProps {
  turn: TurnLine;
  filter: TurnFilter;
  now: number;
  temporal: string | null;
}

function TurnRow({ turn, filter, now, temporal }: TurnRowProps) {
  const status = turnStatusWords[turn.status];
  const tokens = turn.inputTokens + turn.outputTokens;
  const who = turn.person.name || `Deleted ${turn.person.kind}`;
  return (
    <article className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 text-sm" data-testid="turn-row">
      <Badge tone={status.tone}>{status.label}</Badge>
      <Link
        aria-label={`${who}, ${timeAgo(turn.createdAt, now)}: open turn details`}
        className="font-medium hover:text-primary"
        params={{ turnId: turn.id }}
        to="/turns/$turnId"
      >
        <time dateTime={turn.createdAt} title={fullTime(turn.createdAt)}>
          {timeAgo(turn.createdAt, now)}
        </time>
      </Link>
      <Link
        aria-label={`Only turns of ${who}`}
        className="wrap-anywhere text-muted-foreground hover:text-foreground"
        search={{ ...filter, principalId: turn.person.id }}
        to="/admin/turns"
      >
        {who}
      </Link>
      <Link
        aria-label={`Only turns with ${turn.model}`}
        className="wrap-anywhere text-muted-foreground hover:text-foreground"
        search={{ ...filter, model: turn.model }}
        to="/admin/turns"
      >
        {turn.model}
      </Link>
      {turn.errorCode && <span className="text-danger">{failureWords(turn.errorCode)}</span>}
      {turn.verdict && (
        <span className="inline-flex items-center gap-1 text-muted-foreground" data-testid="turn-verdict">
          <Icon name={turn.verdict === "up" ? "thumbUp" : "thumbDown"} size={14} />
          {feedbackWords[turn.verdict]}
          {turn.commented && ", with a comment"}
        </span>
      )}
      <span className="ml-auto flex items-center gap-4 text-muted-foreground tabular-nums">
        {tokens > 0 && <span className="max-sm:hidden">{tokens.toLocaleString("en")} tokens</span>}
        <span>{duration(turn.tookMs)}</span>
        {temporal && (
          <a aria-label="Open in Temporal" href={temporal} rel="noreferrer" target="_blank">
            <Icon name="external" size={14} />
          </a>
        )}
      </span>
    </article>
  );
}

const answers = (count: number) => (count === 1 ? "1 answer" : `${count.toLocaleString("en")} answers`);
