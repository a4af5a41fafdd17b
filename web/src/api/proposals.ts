import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";
import type { FieldChange } from "./problem";

export type Effect = "read" | "mutate" | "destructive";
export type ProposalStatus = "proposed" | "applying" | "applied" | "failed" | "declined" | "expired";

/** What the operator sees of a proposal; messages store it as it was proposed. */
export interface ProposalCard {
  proposalId: string;
  toolName: string;
  effect: Effect;
  summary: string;
  payload: unknown;
  diff?: FieldChange[] | null;
  status: ProposalStatus;
  expiresAt: string;
  createdAt?: string;
  conversationId?: string | null;
}

/** The live proposal. The token is present only while this person may apply it. */
export interface Proposal extends ProposalCard {
  token?: string;
  result?: unknown;
  error?: { code: string; message: string; diff?: FieldChange[] | null } | null;
  proposer?: { name: string } | null;
  decidedBy?: { name: string } | null;
  decidedAt?: string | null;
  whyConfirm?: string | null;
}

/** A change that was applied without asking, in auto mode. */
export interface AppliedCard {
  proposalId: string;
  toolName: string;
  effect: Effect;
  summary: string;
  payload?: unknown;
  diff?: FieldChange[] | null;
  result?: unknown;
}

export type Decision = "apply" | "decline";

export interface ApplyOutcome {
  proposalId: string;
  status: "applied" | "applying";
  result?: unknown;
}

export function isSettled(status: ProposalStatus): boolean {
  return status !== "proposed" && status !== "applying";
}

/** Pending proposals are looked at again, because anyone may decide them anywhere. */
export const proposalQuery = (id: string) =>
  queryOptions({
    queryKey: ["proposal", id],
    queryFn: ({ signal }) => request<Proposal>("GET", `/api/ai/proposals/${id}`, { signal }),
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
      const filter = status === "all" ? "" : `?status=${status}`;
      const answer = await request<{ proposals: Proposal[] }>("GET", `/api/ai/proposals${filter}`, { signal });
      return answer.proposals;
    },
    refetchInterval: 15_000,
  });

export const applyProposal = (token: string, idempotencyKey: string) =>
  request<ApplyOutcome>("POST", "/api/ai/proposals/apply", { body: { token }, idempotencyKey });

export const declineProposal = (id: string, idempotencyKey: string) =>
  request<void>("POST", `/api/ai/proposals/${id}/decline`, { idempotencyKey });
