import type { Proposal } from "../api/proposals";
import { PlaceLink } from "./PlaceLink";
import { targetOf } from "./places";

/** Opens what a change is about, while it waits: afterwards its outcome links to what there is. */
export function TargetLink({ proposal }: { proposal: Proposal }) {
  const place = targetOf(proposal);
  if (!place || proposal.status === "applied") return null;
  return (
    <p className="text-sm">
      <PlaceLink place={place} testId="target-link" />
    </p>
  );
}
