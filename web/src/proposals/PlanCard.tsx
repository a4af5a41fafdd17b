import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef } from "react";
import { Problem } from "../api/problem";
import {
  afterDecision,
  applyPlan,
  applyProposal,
  declinePlan,
  declineProposal,
  isSettled,
  planQuery,
  proposalQuery,
  type Decision,
  type Plan,
  type Proposal,
  type ProposalStatus,
} from "../api/proposals";
import { meQuery, settingsQuery, workflowUrl } from "../api/session";
import { useWrite } from "../api/write";
import { useKept } from "../chat/kept";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { ErrorNotice } from "../ui/Notice";
import { useNow } from "../ui/time";
import { countdown, shownStatus } from "./countdown";
import { DecisionReason } from "./DecisionReason";
import { FromOutside } from "./FromOutside";
import { planWords } from "./decisionwords";
import { decidedTogether, planHeadline } from "./plan";
import { PlanMember } from "./PlanMember";

interface PlanCardProps {
  planId: string;
  /** The proposals as they were made; their live state is read from the server. */
  cards: Proposal[];
  /** The turn may still add changes, so that nothing can be decided together yet. */
  growing?: boolean;
  /** Called once when the plan turns out to be decided together, here or elsewhere. */
  onDecided?: (decision: Decision) => void;
  /** Called once for each proposal that turns out to be decided by itself. */
  onSettled?: (proposalId: string, status: ProposalStatus) => void;
}

/** Several changes of one answer, to be decided together or one by one. */
export function PlanCard({ planId, cards, growing = false, onDecided, onSettled }: PlanCardProps) {
  const heading = useId();
  const queryClient = useQueryClient();
  const { data: plan, error: loadError, refetch } = useQuery({ ...planQuery(planId), enabled: !growing });
  const { data: settings } = useQuery(settingsQuery);
  const { data: me } = useQuery(meQuery);
  const { text: reason, write: setReason, forget } = useKept(`${planId}.reason`);
  const unfinished = plan?.proposals.some((proposal) => !isSettled(proposal.status)) ?? false;
  const now = useNow(1_000, unfinished);
  const changed = () => {
    afterDecision(queryClient);
  };
  useDecisions(
    plan,
    (decision) => {
      changed();
      onDecided?.(decision);
    },
    (proposalId, status) => {
      changed();
      void queryClient.invalidateQueries({ queryKey: proposalQuery(proposalId).queryKey });
      onSettled?.(proposalId, status);
    },
  );

  const store = (next: Plan) => {
    forget();
    queryClient.setQueryData(planQuery(planId).queryKey, next);
  };
  const reload = () => void refetch();
  const apply = useWrite({
    send: (decided: { tokens: string[]; reason: string }, key) => applyPlan(planId, decided, key),
    onSuccess: store,
  });
  const decline = useWrite({ send: (why: string) => declinePlan(planId, why), onSuccess: store });
  const applyOne = useWrite({ send: applyProposal, onSuccess: reload });
  const declineOne = useWrite({ send: declineProposal, onSuccess: reload });
  const writes = [apply, decline, applyOne, declineOne];
  const refused = writes.map((write) => write.error).find((error) => error !== null);
  useEffect(() => {
    if (refused instanceof Problem) void refetch();
  }, [refused, refetch]);
  const busy = writes.some((write) => write.isPending);
  const pressed = ({ token, proposalId }: Proposal) => {
    if (applyOne.isPending && applyOne.variables.of === token) return "apply";
    if (declineOne.isPending && declineOne.variables.of === proposalId) return "decline";
  };
  // While an apply request is pending, the plan's own status shows the progress.
  useEffect(() => {
    if (!apply.isPending) return;
    const look = setInterval(() => void refetch(), 700);
    return () => clearInterval(look);
  }, [apply.isPending, refetch]);

  const members: Proposal[] = (plan?.proposals ?? cards).map((proposal) => atTime(proposal, now));
  const open = plan ? members.filter((member) => member.status === "proposed") : [];
  const tokens = open.flatMap((member) => (member.token ? [member.token] : []));
  const foreign = me !== undefined && open.some((member) => member.proposer?.id !== me.id);
  const current = members.find((member) => member.status === "applying");
  const destructive = open.some((member) => member.effect === "destructive");
  const blocked = open.find((member) => !member.token)?.blocked;
  const status = plan ? planHeadline(members) : null;
  const ends = open.map((member) => member.expiresAt).toSorted()[0];
  const left = ends ? countdown(ends, now) : null;
  const url = workflowUrl(settings, `plan/${planId}`);

  return (
    <section
      aria-labelledby={heading}
      className={
        "rise overflow-hidden rounded-xl border border-l-4 bg-card shadow-raised " +
        (open.length > 0 || current ? "border-l-primary" : "border-l-border")
      }
      data-status={status?.kind ?? "loading"}
      data-testid="plan-card"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-3">
        <p className="flex items-center gap-2 text-sm font-semibold" id={heading}>
          <Icon name="list" size={16} />
          Plan of {members.length} changes
        </p>
        {left && !left.expired && (
          <span
            aria-label={`Expires in ${left.label}`}
            className={
              "ml-auto inline-flex items-center gap-1 text-xs tabular-nums " +
              (left.urgent ? "font-semibold text-warning" : "text-muted-foreground")
            }
            data-testid="plan-countdown"
            role="timer"
          >
            <Icon name="clock" size={14} />
            {left.label}
          </span>
        )}
        <p
          aria-live="polite"
          className={`text-sm text-muted-foreground ${left ? "" : "ml-auto"}`}
          data-testid="plan-status"
          role="status"
        >
          {status?.text}
        </p>
      </header>
      <ol className="mt-2 divide-y border-y">
        {members.map((member, index) => (
          <PlanMember
            busy={busy}
            current={member === current}
            key={member.proposalId}
            number={index + 1}
            onApply={(token) => applyOne.mutate({ of: token, reason })}
            onDecline={() => declineOne.mutate({ of: member.proposalId, reason })}
            pressed={pressed(member)}
            proposal={member}
          />
        ))}
      </ol>
      <div className="flex flex-col gap-3 px-4 py-3 empty:hidden">
        <ErrorNotice error={plan || growing ? null : loadError} onRetry={reload} />
        <ErrorNotice error={refused} />
        {growing && <p className="text-sm text-muted-foreground">The assistant is still adding changes.</p>}
        {!growing && !plan && !loadError && (
          <p className="text-sm text-muted-foreground">Checking the state of this plan…</p>
        )}
        <FromOutside proposals={open} />
        {foreign && tokens.length > 0 && <DecisionReason onChange={setReason} value={reason} />}
        {open.length > 0 && (
          <>
            <div className="flex flex-wrap items-center gap-2">
              <Button
                busy={apply.isPending}
                data-testid="plan-apply"
                disabled={busy || tokens.length !== open.length}
                onClick={() => apply.mutate({ tokens, reason })}
                variant={destructive ? "danger" : "primary"}
              >
                {apply.isPending ? "Applying…" : planWords(open, members.length)}
              </Button>
              <Button
                busy={decline.isPending}
                data-testid="plan-decline"
                disabled={busy}
                onClick={() => decline.mutate(reason)}
              >
                Decline {open.length === members.length ? "all" : "the rest"}
              </Button>
            </div>
            <p className="text-xs text-muted-foreground">
              {tokens.length === open.length
                ? "Applied in order. If one fails, the rest are not applied."
                : `You cannot apply this plan as a whole. ${blocked ?? ""}`}
            </p>
          </>
        )}
        {url && decidedTogether(members) && !current && (
          <a
            className="inline-flex items-center gap-1 self-start text-xs text-muted-foreground hover:text-foreground"
            href={url}
            rel="noreferrer"
            target="_blank"
          >
            Open in Temporal <Icon name="external" size={13} />
          </a>
        )}
      </div>
    </section>
  );
}

function atTime(proposal: Proposal, now: number): Proposal {
  return { ...proposal, status: shownStatus(proposal.status, proposal.expiresAt, now) };
}

/** Reports the moment when proposals that were seen pending are decided: together once, or each by itself. */
function useDecisions(
  plan: Plan | undefined,
  onDecided: (decision: Decision) => void,
  onSettled: (proposalId: string, status: ProposalStatus) => void,
): void {
  const pending = useRef(new Set<string>());
  const report = useRef({ onDecided, onSettled });
  useEffect(() => {
    report.current = { onDecided, onSettled };
  });
  useEffect(() => {
    if (!plan) return;
    const settled = plan.proposals.filter(
      (proposal) => isSettled(proposal.status) && pending.current.has(proposal.proposalId),
    );
    for (const proposal of plan.proposals) if (!isSettled(proposal.status)) pending.current.add(proposal.proposalId);
    for (const proposal of settled.filter((one) => !one.planned)) {
      pending.current.delete(proposal.proposalId);
      report.current.onSettled(proposal.proposalId, proposal.status);
    }
    // Those that were decided together are reported once the last of them has ended.
    const together = settled.filter((proposal) => proposal.planned);
    if (together.length === 0 || plan.proposals.some((proposal) => proposal.status === "applying")) return;
    for (const proposal of together) pending.current.delete(proposal.proposalId);
    report.current.onDecided(together.every((proposal) => proposal.status === "declined") ? "decline" : "apply");
  }, [plan]);
}
