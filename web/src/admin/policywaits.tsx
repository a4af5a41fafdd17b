import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ProposedWrite } from "../api/client";
import type { PolicyFields } from "../api/policies";
import { proposalsQuery } from "../api/proposals";
import { isRecord } from "../api/record";
import { Icon } from "../ui/Icon";
import { LocalLink } from "../ui/LocalLink";

/** Pending change of a policy. */
export interface WaitingPolicy {
  proposalId: string;
  summary: string;
  /** Fields that it would change. */
  change: Partial<PolicyFields>;
}

/**
 * The changes of the policy of a tool that wait, the newest first, and what takes down one that was made just now: the list of
 * what waits is read again then, and knows of it a moment later.
 */
export function useWaitingPolicy(toolName: string) {
  const { data, dataUpdatedAt } = useQuery(proposalsQuery("proposed"));
  const [made, setMade] = useState<{ waiting: WaitingPolicy; at: number } | null>(null);
  const waiting = (data ?? []).flatMap(({ toolName: changes, payload, proposalId, summary }): WaitingPolicy[] =>
    changes === "ai.setToolPolicy" && isRecord(payload) && payload.tool === toolName
      ? [{ proposalId, summary, change: payload }]
      : [],
  );
  if (made && dataUpdatedAt < made.at) waiting.unshift(made.waiting);
  const take = ({ proposalId, summary }: ProposedWrite, change: Partial<PolicyFields>) =>
    setMade({ waiting: { proposalId, summary, change }, at: Date.now() });
  return [waiting, take] as const;
}

/** Says which changes of a policy wait, with the way to their cards. */
export function WaitingPolicies({ waiting }: { waiting: readonly WaitingPolicy[] }) {
  return waiting.map(({ proposalId, summary }) => (
    <p
      className="mt-2 flex items-start gap-1.5 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning"
      data-testid="policy-waits"
      key={proposalId}
    >
      <Icon className="mt-0.5" name="clock" size={16} />
      <span className="min-w-0 wrap-anywhere">
        Waits for a decision: {summary}.{" "}
        <LocalLink
          className="underline underline-offset-2"
          href={`/proposals?${new URLSearchParams({ status: "all", proposal: proposalId })}`}
        >
          Open the proposal
        </LocalLink>
      </span>
    </p>
  ));
}
