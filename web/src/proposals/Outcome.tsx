import { lazy, Suspense } from "react";
import { loaded } from "../api/reach";
import type { Proposal, ProposalStatus } from "../api/proposals";
import { Icon } from "../ui/Icon";
import { fullTime } from "../ui/time";
import { PlaceLink } from "./PlaceLink";
import { resultOf } from "./places";

/** One sentence about the outcome of a proposal, with a link to the created record. */
export function Outcome({ proposal, status }: { proposal: Proposal; status: ProposalStatus }) {
  switch (status) {
    case "proposed":
      return null;
    case "applying":
      return <p className="text-sm text-muted-foreground">The change is being applied.</p>;
    case "applied":
      return (
        <p className="flex items-start gap-1.5 text-sm text-success" data-testid="proposal-outcome">
          <Icon className="mt-0.5" name="check" size={16} />
          <span>
            {proposal.automatic
              ? "Applied automatically (auto mode)"
              : `Applied${proposal.decidedBy ? ` by ${proposal.decidedBy.name}` : ""}`}
            {proposal.decidedAt ? `, ${fullTime(proposal.decidedAt)}` : ""}. <ResultLink proposal={proposal} />
          </span>
        </p>
      );
    case "failed":
      return (
        <p className="flex items-start gap-1.5 text-sm text-danger" data-testid="proposal-outcome">
          <Icon className="mt-0.5" name="alert" size={16} />
          <span className="flex flex-col wrap-anywhere">
            <span>{proposal.error?.message ?? "The change could not be applied."}</span>
            <DecidedBy proposal={proposal} />
          </span>
        </p>
      );
    case "skipped":
      return (
        <p className="flex flex-col text-sm text-muted-foreground" data-testid="proposal-outcome">
          <span>Not applied, because an earlier change of its plan failed. Nothing was changed.</span>
          <DecidedBy proposal={proposal} />
        </p>
      );
    case "declined":
      return (
        <p className="text-sm text-muted-foreground" data-testid="proposal-outcome">
          Declined{proposal.decidedBy ? ` by ${proposal.decidedBy.name}` : ""}
          {proposal.decidedAt ? `, ${fullTime(proposal.decidedAt)}` : ""}. Nothing was changed.
        </p>
      );
    case "expired":
      return (
        <p className="text-sm text-muted-foreground" data-testid="proposal-outcome">
          Expired without a decision; nothing was changed. Ask again for a new proposal.
        </p>
      );
  }
}

/** Approver of a change that was not made, and when. */
function DecidedBy({ proposal: { decidedBy, decidedAt } }: { proposal: Proposal }) {
  if (!decidedBy) return null;
  return (
    <span className="text-xs text-muted-foreground">
      Decided by {decidedBy.name}
      {decidedAt ? `, ${fullTime(decidedAt)}` : ""}
    </span>
  );
}

// It is there after a decision, which is later than the first look.
const NextSteps = lazy(() => loaded(() => import("./NextSteps")));

/** Follow-ups of an ended proposal: the same again, or its undo. */
export function AfterOutcome({ proposal }: { proposal: Proposal }) {
  if (!proposal.again && !proposal.undo) return null;
  return (
    <Suspense fallback={null}>
      <NextSteps proposal={proposal} />
    </Suspense>
  );
}

/** Links to the created or changed record. */
export function ResultLink({ proposal }: { proposal: Proposal }) {
  const place = resultOf(proposal);
  return place && <PlaceLink place={place} testId="result-link" />;
}
