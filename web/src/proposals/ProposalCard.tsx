import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Problem } from "../api/problem";
import {
  afterDecision,
  applyProposal,
  declineProposal,
  isSettled,
  proposalQuery,
  type Proposal,
  type ProposalStatus,
} from "../api/proposals";
import { meQuery, settingsQuery, workflowUrl } from "../api/session";
import { useWrite } from "../api/write";
import { useKept } from "../chat/kept";
import { Button } from "../ui/Button";
import { ErrorNotice } from "../ui/Notice";
import { useNow } from "../ui/time";
import { CardFrame } from "./CardFrame";
import { ChangeView, DiffView } from "./ChangeView";
import { Consequences } from "./Consequences";
import { countdown, shownStatus } from "./countdown";
import { DecisionReason } from "./DecisionReason";
import { decisionWords } from "./decisionwords";
import { FromOutside } from "./FromOutside";
import { AfterOutcome, Outcome } from "./Outcome";
import { RequestView } from "./RequestView";
import { SecondPerson } from "./SecondPerson";
import { TargetLink } from "./TargetLink";
import { ToolAnswer } from "./ToolAnswer";

interface ProposalCardProps {
  /** The card as it was proposed; the live state is read from the server. */
  card: Proposal;
  /** Called once when a pending proposal turns out to be decided, here or elsewhere. */
  onSettled?: (status: ProposalStatus) => void;
}

/** A change that waits for a person, and afterwards what became of it. */
export function ProposalCard({ card, onSettled }: ProposalCardProps) {
  const queryClient = useQueryClient();
  const { data: live, error: loadError, refetch } = useQuery(proposalQuery(card.proposalId));
  const { data: settings } = useQuery(settingsQuery);
  const { data: me } = useQuery(meQuery);
  const proposal: Proposal = live ?? card;
  const pending = live !== undefined && !isSettled(live.status);
  const now = useNow(1_000, pending);
  const status = live ? shownStatus(live.status, live.expiresAt, now) : null;
  const told = useRef(false);
  const settle = (settled: ProposalStatus) => {
    if (told.current || !isSettled(settled)) return;
    told.current = true;
    afterDecision(queryClient);
    onSettled?.(settled);
  };
  useSettlement(live?.status, settle);

  const lapsed = live?.status === "proposed" && status === "expired";
  useEffect(() => {
    if (lapsed) void refetch();
  }, [lapsed, refetch]);

  const publish = (changes: Partial<Proposal>) => {
    queryClient.setQueryData(proposalQuery(card.proposalId).queryKey, (known) => known && { ...known, ...changes });
    void refetch();
  };
  const { text: reason, write: setReason, forget } = useKept(`${card.proposalId}.reason`);
  const apply = useWrite({
    send: applyProposal,
    onSuccess: (outcome) => {
      forget();
      publish({ status: outcome.status, token: undefined, result: outcome.result });
      // A list of what waits may have left the card out by now.
      settle(outcome.status);
    },
  });
  const decline = useWrite({
    send: declineProposal,
    onSuccess: () => {
      forget();
      publish({ status: "declined", token: undefined });
      settle("declined");
    },
  });
  const refused = apply.error ?? decline.error;
  useEffect(() => {
    if (refused instanceof Problem) void refetch();
  }, [refused, refetch]);

  const foreign = me !== undefined && proposal.proposer?.id !== me.id;
  const left = countdown(proposal.expiresAt, now);
  const busy = apply.isPending || decline.isPending;
  const drift = proposal.error?.diff ?? (refused instanceof Problem ? refused.document.diff : undefined);
  const action = decisionWords(card);

  return (
    <CardFrame
      effect={card.effect}
      elsewhere={live !== undefined && !live.token}
      left={status === "proposed" ? left : undefined}
      status={status}
      summary={card.summary}
      testId="proposal-card"
      toolName={card.toolName}
      workflowUrl={workflowUrl(settings, `proposal/${card.proposalId}`)}
    >
      <ChangeView diff={card.diff} labels={card.labels} payload={card.payload} toolName={card.toolName} />
      <TargetLink proposal={proposal} />
      {status !== "applied" && <Consequences proposal={proposal} />}
      {proposal.reason && (
        <p className="text-sm whitespace-pre-wrap wrap-anywhere" data-testid="proposal-reason">
          <span className="text-muted-foreground">Why: </span>
          {proposal.reason}
        </p>
      )}
      {proposal.whyConfirm && !proposal.twoPerson && status === "proposed" && (
        <p className="text-sm text-muted-foreground">{proposal.whyConfirm}</p>
      )}
      {status === "proposed" && <FromOutside proposals={[proposal]} />}
      {status === "proposed" && <SecondPerson me={me?.id} proposal={proposal} />}
      <RequestView me={me?.id} proposal={proposal} />
      {!status && !loadError && <p className="text-sm text-muted-foreground">Checking the state of this proposal…</p>}
      <ErrorNotice error={live ? null : loadError} onRetry={() => void refetch()} />
      {!isOutcome(status) && <ErrorNotice error={refused} />}
      {status && <Outcome proposal={proposal} status={status} />}
      {status === "applied" && <ToolAnswer proposal={proposal} />}
      {isOutcome(status) && proposal.decisionReason && (
        <p className="text-sm wrap-anywhere whitespace-pre-wrap" data-testid="decision-reason-given">
          <span className="text-muted-foreground">Reason given by {proposal.decidedBy?.name}: </span>
          {proposal.decisionReason}
        </p>
      )}
      {drift && drift.length > 0 && (
        <div className="flex flex-col gap-1.5" data-testid="drift">
          <p className="text-sm font-medium">Current preview</p>
          <DiffView changes={drift} labels={card.labels} toolName={card.toolName} />
        </div>
      )}
      {isOutcome(status) && <AfterOutcome proposal={proposal} />}
      {status === "proposed" && foreign && live?.token && <DecisionReason onChange={setReason} value={reason} />}
      {status === "proposed" && (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            busy={apply.isPending}
            data-testid="proposal-apply"
            disabled={busy || !live?.token}
            onClick={() => live?.token && apply.mutate({ of: live.token, reason })}
            variant={card.effect === "destructive" ? "danger" : "primary"}
          >
            {apply.isPending ? "Applying…" : action}
          </Button>
          <Button
            aria-label={`Decline: ${action.toLowerCase()}`}
            busy={decline.isPending}
            data-testid="proposal-decline"
            disabled={busy}
            onClick={() => decline.mutate({ of: card.proposalId, reason })}
          >
            Decline
          </Button>
          {!live?.token && !live?.twoPerson && (
            <p className="text-sm text-muted-foreground">{live?.blocked ?? "You may not apply this change."}</p>
          )}
        </div>
      )}
    </CardFrame>
  );
}

function isOutcome(status: ProposalStatus | null): boolean {
  return status !== null && isSettled(status);
}

/** Reports the moment when a proposal that was seen pending is decided. */
function useSettlement(status: ProposalStatus | undefined, onSettled: (status: ProposalStatus) => void): void {
  const seenPending = useRef(false);
  const report = useRef(onSettled);
  useEffect(() => {
    report.current = onSettled;
  });
  useEffect(() => {
    if (status === undefined) return;
    if (!isSettled(status)) {
      seenPending.current = true;
    } else if (seenPending.current) {
      seenPending.current = false;
      report.current(status);
    }
  }, [status]);
}
