import { queryOptions } from "@tanstack/react-query";
import { answer, api, once, type Schema } from "./client";

/**
 * A proposal as the reader sees it; messages store it as it was proposed. The token is present only while this person
 * may apply it.
 */
export type Proposal = Schema<"ProposalCard">;
export type Effect = Schema<"PolicyToolPolicy">["effect"];
export type ProposalStatus = Proposal["status"];

/** The proposals of one turn, in the order of their calls. */
export type Plan = Schema<"ProposalPlan">;

export type Decision = Schema<"ApiChatDecision">["kind"];

export function isSettled(status: ProposalStatus): boolean {
  return status !== "proposed" && status !== "applying";
}

/** Pending proposals are looked at again, because anyone may decide them anywhere. */
export const proposalQuery = (id: string) =>
  queryOptions({
    queryKey: ["proposal", id],
    queryFn: ({ signal }) => answer(api.GET("/api/ai/proposals/{id}", { params: { path: { id } }, signal })),
    staleTime: (query) => (query.state.data && isSettled(query.state.data.status) ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: (query) => {
      if (!query.state.data || isSettled(query.state.data.status)) return false;
      return query.state.data.status === "applying" ? 1_000 : 10_000;
    },
  });

export const proposalsKey = ["proposals"] as const;

export const proposalsQuery = (status: ProposalStatus | "all") =>
  queryOptions({
    queryKey: [...proposalsKey, status],
    queryFn: async ({ signal }) => {
      const params = { query: { status: status === "all" ? undefined : status } };
      return (await answer(api.GET("/api/ai/proposals", { params, signal }))).proposals;
    },
    refetchInterval: 15_000,
  });

/** A decision about a proposal, by its token or its id, with the reason if the person gives one. */
interface Decided {
  of: string;
  reason?: string;
}

/** A reason as a member of a request: none when there are no words. */
const why = (reason: string | undefined) => (reason?.trim() ? { reason: reason.trim() } : {});

export const applyProposal = ({ of: token, reason }: Decided, key: string) =>
  answer(api.POST("/api/ai/proposals/apply", { params: { header: once(key) }, body: { token, ...why(reason) } }));

export const declineProposal = ({ of: id, reason }: Decided) =>
  answer(api.POST("/api/ai/proposals/{id}/decline", { params: { path: { id } }, body: why(reason) }));

export const planQuery = (id: string) =>
  queryOptions({
    queryKey: ["plan", id],
    queryFn: ({ signal }) => answer(api.GET("/api/ai/plans/{id}", { params: { path: { id } }, signal })),
    refetchInterval: (query) => {
      const proposals = query.state.data?.proposals ?? [];
      if (proposals.some((proposal) => proposal.status === "applying")) return 700;
      return proposals.some((proposal) => proposal.status === "proposed") ? 10_000 : false;
    },
  });

export const applyPlan = (id: string, tokens: string[], key: string) =>
  answer(api.POST("/api/ai/plans/{id}/apply", { params: { path: { id }, header: once(key) }, body: { tokens } }));

export const declinePlan = (id: string) => answer(api.POST("/api/ai/plans/{id}/decline", { params: { path: { id } } }));
