import { infiniteQueryOptions } from "@tanstack/react-query";
import { listProposals, proposalsKey, type Proposal, type ProposalStatus } from "../api/proposals";

/** Whose proposals are looked at: those that one may decide about, one's own, or those that one has decided about. */
export type Whose = "toDecide" | "mine" | "decided";

/** Whether a proposal belongs to the chosen people. */
export function isAmong(proposal: Proposal, whose: Whose, me: string | undefined): boolean {
  switch (whose) {
    case "toDecide":
      return proposal.status === "proposed" && !proposal.blocked;
    case "mine":
      return proposal.proposer.id === me;
    case "decided":
      return proposal.decidedBy?.id === me;
  }
}

/**
 * Maximum of pages read at once for the proposals of one person, which can be few among many. Pending ones are read
 * completely.
 */
const pages = { proposed: 20, settled: 5 };

/** The longest text that the server looks for. */
export const longestQuery = 200;

/** Filter of an inbox: status, people, and search. */
export interface Inbox {
  status: ProposalStatus | "all";
  whose?: Whose;
  query?: string;
}

/** Proposals of an inbox. Pending ones are complete; of the others the newest, and then older pages. */
export const inboxPages = ({ status, whose, query }: Inbox, me: string | undefined) => {
  const wanted = whose === "toDecide" ? "proposed" : status;
  const found =
    whose || query
      ? {
          words: query,
          fits: whose && ((proposal: Proposal) => isAmong(proposal, whose, me)),
          pages: wanted === "proposed" ? pages.proposed : pages.settled,
        }
      : undefined;
  return infiniteQueryOptions({
    queryKey: [...proposalsKey, "inbox", wanted, ...(found ? [whose, whose && me, query] : [])] as readonly unknown[],
    queryFn: ({ signal, pageParam }) => listProposals(wanted === "all" ? undefined : wanted, signal, found, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });
};
