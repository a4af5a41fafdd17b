import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";
import type { FieldChange } from "./problem";

export type Effect = "read" | "mutate" | "destructive";
export type ProposalStatus = "proposed" | "applying" | "applied" | "failed" | "declined" | "expired" | "skipped";

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
  /** The turn that made it; proposals of one turn are a plan. */
  turnId?: string | null;
  /** Names of what payload and diff refer to by id. */
  labels?: Record<string, string> | null;
}

/** The live proposal. The token is present only while this person may apply it. */
export interface Proposal extends ProposalCard {
  token?: string;
  result?: unknown;
  error?: { code: string; message: string; diff?: FieldChange[] | null } | null;
  proposer?: { id?: string; name: string } | null;
  /** Set when the turn has made several proposals. */
  planId?: string | null;
  planPosition?: number;
  /** It was decided together with its plan. */
  planned?: boolean;
  /** Another person than the proposer has to apply it. */
  twoPerson?: boolean;
  /** Auto mode applied it. */
  automatic?: boolean;
  /** Why this person may not apply it although it is open. */
  blocked?: string;
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
  labels?: Record<string, string> | null;
}

/** The proposals of one turn, in the order of their calls. */
export interface Plan {
  planId: string;
  conversationId: string;
  status: ProposalStatus | "mixed";
  proposals: Proposal[];
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

export const planQuery = (id: string) =>
  queryOptions({
    queryKey: ["plan", id],
    queryFn: ({ signal }) => request<Plan>("GET", `/api/ai/plans/${id}`, { signal }),
    refetchInterval: (query) => {
      const proposals = query.state.data?.proposals ?? [];
      if (proposals.some((proposal) => proposal.status === "applying")) return 700;
      return proposals.some((proposal) => proposal.status === "proposed") ? 10_000 : false;
    },
  });

export const applyPlan = (id: string, tokens: string[], idempotencyKey: string) =>
  request<Plan>("POST", `/api/ai/plans/${id}/apply`, { body: { tokens }, idempotencyKey });

export const declinePlan = (id: string, idempotencyKey: string) =>
  request<Plan>("POST", `/api/ai/plans/${id}/decline`, { idempotencyKey });
