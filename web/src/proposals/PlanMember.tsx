import { useQuery } from "@tanstack/react-query";
import { isSettled, type Proposal } from "../api/proposals";
import { meQuery } from "../api/session";
import { Badge } from "../ui/Badge";
import { Button, Spinner } from "../ui/Button";
import { ChangeView, DiffView } from "./ChangeView";
import { EffectBadge } from "./CardFrame";
import { Consequences } from "./Consequences";
import { decisionWords } from "./decisionwords";
import { AfterOutcome, Outcome } from "./Outcome";
import { RequestView } from "./RequestView";
import { SecondPerson } from "./SecondPerson";
import { statusLabels, statusTones } from "./status";
import { TargetLink } from "./TargetLink";
import { ToolAnswer } from "./ToolAnswer";

interface PlanMemberProps {
  proposal: Proposal;
  number: number;
  /** It is being applied now; later members wait. */
  current: boolean;
  busy: boolean;
  /** Button pressed here whose answer is pending. */
  pressed?: "apply" | "decline";
  onApply: (token: string) => void;
  onDecline: () => void;
}

/** One change of a plan. */
export function PlanMember({ proposal, number, current, busy, pressed, onApply, onDecline }: PlanMemberProps) {
  const { data: me } = useQuery(meQuery);
  const { status, token } = proposal;
  const waits = status === "applying" && !current;
  const action = decisionWords(proposal);
  return (
    <li className="flex gap-3 px-4 py-3" data-status={status} data-testid="plan-member">
      <span aria-hidden="true" className="mt-0.5 w-5 shrink-0 text-right text-sm text-muted-foreground tabular-nums">
        {number}.
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <p className="min-w-0 wrap-anywhere">{proposal.summary}</p>
          <EffectBadge effect={proposal.effect} />
          {status !== "proposed" && (
            <span className="ml-auto">
              <Badge tone={waits ? "neutral" : statusTones[status]}>
                {current && <Spinner />}
                {waits ? "Waiting its turn" : statusLabels[status]}
              </Badge>
            </span>
          )}
        </div>
        <details className="group text-sm" open={status === "proposed"}>
          <summary className="w-fit text-xs text-muted-foreground select-none hover:text-foreground">Changes</summary>
          <div className="mt-2">
            <ChangeView
              diff={proposal.diff}
              labels={proposal.labels}
              payload={proposal.payload}
              toolName={proposal.toolName}
            />
          </div>
        </details>
        {status === "proposed" && proposal.whyConfirm && !proposal.twoPerson && (
          <p className="text-sm text-muted-foreground">{proposal.whyConfirm}</p>
        )}
        <TargetLink proposal={proposal} />
        {status !== "applied" && <Consequences proposal={proposal} />}
        {status === "proposed" && <SecondPerson me={me?.id} proposal={proposal} />}
        {number === 1 && <RequestView me={me?.id} proposal={proposal} />}
        {status !== "proposed" && proposal.decisionReason && (
          <p
            className="text-sm wrap-anywhere whitespace-pre-wrap text-muted-foreground"
            data-testid="decision-reason-given"
          >
            {proposal.decidedBy?.name}: {proposal.decisionReason}
          </p>
        )}
        {isSettled(status) && <Outcome proposal={proposal} status={status} />}
        {status === "applied" && <ToolAnswer proposal={proposal} />}
        {status === "failed" && proposal.error?.diff && proposal.error.diff.length > 0 && (
          <div className="flex flex-col gap-1.5" data-testid="drift">
            <p className="text-sm font-medium">Current preview</p>
            <DiffView changes={proposal.error.diff} labels={proposal.labels} toolName={proposal.toolName} />
          </div>
        )}
        {isSettled(status) && <AfterOutcome proposal={proposal} />}
        {status === "proposed" && (
          <div className="-mx-3 flex flex-wrap">
            <Button
              aria-label={`${action}, only this: number ${number}`}
              busy={pressed === "apply"}
              data-testid="member-apply"
              disabled={busy || !token}
              onClick={() => token && onApply(token)}
              variant="quiet"
            >
              {action}, only this
            </Button>
            <Button
              aria-label={`Decline number ${number}: ${action.toLowerCase()}`}
              busy={pressed === "decline"}
              data-testid="member-decline"
              disabled={busy}
              onClick={onDecline}
              variant="quiet"
            >
              Decline
            </Button>
          </div>
        )}
      </div>
    </li>
  );
}
