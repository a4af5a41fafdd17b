import type { Proposal } from "../api/proposals";
import { Icon } from "../ui/Icon";

/** Says that another person than the proposer has to apply a change, and who proposed it. */
export function SecondPerson({ proposal, me }: { proposal: Proposal; me: string | undefined }) {
  if (!proposal.twoPerson) return null;
  const mine = proposal.proposer?.id !== undefined && proposal.proposer.id === me;
  return (
    <p
      className="flex items-start gap-1.5 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning"
      data-testid="second-person"
    >
      <Icon className="mt-0.5" name="admin" size={16} />
      <span>
        {proposal.whyConfirm && "It was not applied automatically. "}
        {mine
          ? "You proposed this, so another user with the right must apply it."
          : `Proposed by ${proposal.proposer?.name ?? "another user"}. A second person must apply ` +
            `it${proposal.token ? ", which can be you" : ""}.`}
      </span>
    </p>
  );
}
