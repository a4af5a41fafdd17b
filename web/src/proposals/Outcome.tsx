import { Link } from "@tanstack/react-router";
import { proposedToolOf } from "../agents/proposedtool";
import type { Proposal, ProposalStatus } from "../api/proposals";
import { Icon } from "../ui/Icon";
import { fullTime } from "../ui/time";

/** One sentence on what became of a proposal, with a link to what it made. */
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
          <span className="wrap-anywhere">{proposal.error?.message ?? "The change could not be applied."}</span>
        </p>
      );
    case "skipped":
      return (
        <p className="text-sm text-muted-foreground" data-testid="proposal-outcome">
          Not applied, because an earlier change of its plan failed. Nothing was changed.
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
          Nobody decided in time, so nothing was changed. Ask again for a fresh proposal.
        </p>
      );
  }
}

/** Opens the system that a change has created or updated, or the agent whose draft it has written. */
export function ResultLink({ proposal: { toolName, result, payload } }: { proposal: Proposal }) {
  const written = toolName === "agent.proposeTool" ? proposedToolOf(payload) : null;
  if (written?.agent)
    return (
      <Link
        className="underline underline-offset-2"
        data-testid="result-link"
        params={{ agentId: written.agent }}
        to="/agents/$agentId"
      >
        Open the agent
      </Link>
    );
  const id = resultId(result);
  if (!id || /delete|remove/i.test(toolName) || !/system$/i.test(toolName)) return null;
  return (
    <Link
      className="underline underline-offset-2"
      data-testid="result-link"
      params={{ systemId: id }}
      to="/catalog/systems/$systemId"
    >
      Open the system
    </Link>
  );
}

function resultId(result: unknown): string | null {
  if (typeof result !== "object" || result === null) return null;
  const holder =
    "system" in result && typeof result.system === "object" && result.system !== null ? result.system : result;
  return "id" in holder && typeof holder.id === "string" ? holder.id : null;
}
