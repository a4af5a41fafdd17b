import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, type KeyboardEvent } from "react";
import { proposalQuery, type Proposal } from "../api/proposals";
import { meQuery } from "../api/session";
import { AskAbout } from "../ui/AskAbout";
import { Button } from "../ui/Button";
import { isMissing, MissingPage } from "../ui/Missing";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { SearchField } from "../ui/SearchField";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { isLost } from "../ui/arrival";
import { focusHeading, useFocusAfterDecision } from "./afterdecision";
import { inboxPages, longestQuery, type Inbox, type Whose } from "./inbox";
import { groupByPlan } from "./plan";
import { PlanCard } from "./PlanCard";
import { ProposalCard } from "./ProposalCard";
import { statusLabels } from "./status";

const filters: { value: Inbox["status"]; label: string }[] = [
  { value: "proposed", label: "Pending" },
  { value: "applied", label: "Applied" },
  { value: "declined", label: "Declined" },
  { value: "failed", label: "Failed" },
  { value: "skipped", label: "Not applied" },
  { value: "expired", label: "Expired" },
  { value: "all", label: "All" },
];

const whoseFilters: { value: Whose | undefined; label: string }[] = [
  { value: undefined, label: "Everybody's" },
  { value: "toDecide", label: "To decide" },
  { value: "mine", label: "Mine" },
  { value: "decided", label: "Decided by me" },
];

const route = getRouteApi("/app/proposals");

export function ProposalsPage() {
  const { proposal, ...inbox } = route.useSearch();
  const leaves = !proposal && (inbox.status === "proposed" || inbox.whose === "toDecide");
  useFocusAfterDecision(() => leaves && focusHeading());
  return proposal ? <OneProposal id={proposal} /> : <AllProposals {...inbox} />;
}

const trail: Crumb[] = [{ label: "All proposals", link: { to: "/proposals", search: { status: "all" } } }];

/** The proposal that a link names, with its plan when it has one. */
function OneProposal({ id }: { id: string }) {
  const { data: proposal, error, refetch } = useQuery(proposalQuery(id));
  if (!proposal && isMissing(error)) return <MissingPage noun="proposal" trail={trail} />;
  return (
    <Page testId="proposal-page" title="Proposal">
      <Link className="text-sm underline underline-offset-2" search={{ status: "all" }} to="/proposals">
        All proposals
      </Link>
      <ErrorNotice error={proposal ? null : error} onRetry={() => void refetch()} />
      {!proposal && !error && <SkeletonRows rows={1} />}
      {proposal && (
        <div className="flex flex-col gap-1.5">
          <h2 className="sr-only">{proposal.planId ? "Plan" : "Change"}</h2>
          {proposal.planId ? (
            <PlanCard cards={[proposal]} key={proposal.planId} planId={proposal.planId} />
          ) : (
            <ProposalCard card={proposal} key={proposal.proposalId} />
          )}
          <Origin proposal={proposal} />
        </div>
      )}
    </Page>
  );
}

/** Every proposal this person may see, across conversations. */
function AllProposals({ status, whose, query }: Inbox) {
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...inboxPages({ status, whose, query }, me?.id),
    enabled: !whose || me !== undefined,
  });
  const proposals = data?.pages.flatMap((page) => page.proposals);
  // The last "Show older ones" is gone with the press: the focus goes to the list that it has made longer.
  const list = useRef<HTMLDivElement>(null);
  const asked = useRef(false);
  useEffect(() => {
    if (isFetchingNextPage || !asked.current) return;
    asked.current = false;
    if (!hasNextPage && isLost()) list.current?.focus();
  }, [isFetchingNextPage, hasNextPage]);
  const toast = useToast();
  return (
    <Page description="Changes that wait for a decision, and past decisions." testId="proposals-page" title="Proposals">
      <div className="flex flex-col gap-2">
        <SearchField
          label="Search proposals"
          maxLength={longestQuery}
          onSearch={(text) =>
            // A search includes old decisions.
            void navigate({
              to: "/proposals",
              search: {
                status: !query && text && whose !== "toDecide" ? "all" : status,
                whose,
                query: text || undefined,
              },
              replace: true,
            })
          }
          placeholder="Search by change, tool or proposer"
          testId="proposal-search"
          value={query ?? ""}
        />
        <nav aria-label="Whose" className="flex flex-wrap gap-1">
          {whoseFilters.map((filter) => (
            <FilterLink
              key={filter.label}
              label={filter.label}
              search={{
                status: filter.value !== "toDecide" && (filter.value || query) ? "all" : "proposed",
                whose: filter.value,
                query,
              }}
              shown={whose === filter.value}
            />
          ))}
        </nav>
        {whose !== "toDecide" && (
          <nav aria-label="Status" className="flex flex-wrap gap-1">
            {filters.map((filter) => (
              <FilterLink
                key={filter.value}
                label={filter.label}
                search={{ status: filter.value, whose, query }}
                shown={status === filter.value}
              />
            ))}
          </nav>
        )}
      </div>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!proposals && !error && <SkeletonRows rows={3} />}
      {proposals?.length === 0 && !hasNextPage && (
        <EmptyState
          title={
            query
              ? `No proposal matches “${query}”`
              : status === "proposed"
                ? "Nothing waits for you"
                : "No proposals here"
          }
        >
          Proposed changes appear here and in their chat until decided or expired.
        </EmptyState>
      )}
      <h2 className="sr-only">{filters.find(({ value }) => value === status)?.label}</h2>
      <div className="outline-none" ref={list} tabIndex={-1}>
        {/* The arrows lead from one to the next for who has one of them in focus. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <ul aria-label="Proposals" className="flex flex-col gap-4" onKeyDown={toNeighbour}>
          {groupByPlan(proposals ?? []).map(
            ({ planId, proposals: [proposal, ...others] }) =>
              proposal && (
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
                <li className="flex flex-col gap-1.5 rounded-xl" key={planId ?? proposal.proposalId} tabIndex={0}>
                  {planId ? (
                    <PlanCard
                      cards={[proposal, ...others]}
                      onDecided={(decision) =>
                        toast(decision === "apply" ? "The plan was carried out" : "The plan was declined")
                      }
                      onSettled={(_, outcome) => toast(`${statusLabels[outcome]}: a change of a plan`)}
                      planId={planId}
                    />
                  ) : (
                    <ProposalCard
                      card={proposal}
                      onSettled={(outcome) => toast(`${statusLabels[outcome]}: ${proposal.summary}`)}
                    />
                  )}
                  <Origin proposal={proposal} />
                </li>
              ),
          )}
        </ul>
      </div>
      {hasNextPage && (
        <div className="flex flex-col items-center gap-1.5">
          <p className="text-sm text-muted-foreground" data-testid="proposals-shown" role="status">
            {proposals?.length === 0 ? "None among the newest." : `These are the newest ${proposals?.length}.`}
          </p>
          <Button
            busy={isFetchingNextPage}
            data-testid="more-proposals"
            onClick={() => {
              asked.current = true;
              void fetchNextPage();
            }}
          >
            Show older
          </Button>
        </div>
      )}
    </Page>
  );
}

interface FilterLinkProps {
  label: string;
  search: Inbox;
  shown: boolean;
}

function FilterLink({ label, search, shown }: FilterLinkProps) {
  return (
    <Link
      activeOptions={{ exact: true, explicitUndefined: true, includeSearch: true }}
      className={
        "rounded-full px-3 py-1 text-sm " +
        (shown ? "bg-primary-soft font-medium text-primary" : "text-muted-foreground hover:bg-muted")
      }
      search={search}
      to="/proposals"
    >
      {label}
    </Link>
  );
}

/** Moves the focus from a proposal to the one above or below it. Elements inside of one keep their own keys. */
function toNeighbour(event: KeyboardEvent<HTMLUListElement>): void {
  const { target, currentTarget, key } = event;
  if ((key !== "ArrowDown" && key !== "ArrowUp") || !(target instanceof HTMLLIElement)) return;
  if (target.parentElement !== currentTarget) return;
  event.preventDefault();
  const next = key === "ArrowDown" ? target.nextElementSibling : target.previousElementSibling;
  if (!(next instanceof HTMLLIElement)) return;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

/** Proposer of a change, its time, and its conversation. */
function Origin({ proposal }: { proposal: Proposal }) {
  const now = useNow(30_000);
  const { data: me } = useQuery(meQuery);
  // A chat is its person's alone.
  const mine = proposal.proposer?.id === me?.id;
  return (
    <div className="flex flex-wrap items-center gap-3 px-1 text-xs text-muted-foreground">
      {proposal.createdAt && (
        <time dateTime={proposal.createdAt} title={fullTime(proposal.createdAt)}>
          Proposed {timeAgo(proposal.createdAt, now)}
          {proposal.proposer && ` by ${proposal.proposer.name}`}
        </time>
      )}
      {mine && proposal.conversationId && (
        <Link
          className="underline underline-offset-2"
          params={{ conversationId: proposal.conversationId }}
          to="/chat/$conversationId"
        >
          Open the conversation
        </Link>
      )}
      <span className="ml-auto">
        <AskAbout name={proposal.summary} noun="proposal" small />
      </span>
    </div>
  );
}
