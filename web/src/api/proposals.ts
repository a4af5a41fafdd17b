import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { heard } from "../changes/heard";
import { catalogKey } from "./catalog";
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

/**
 * Pending proposals can be decided elsewhere: pages learn of it from the change stream (web/src/changes). Applying
 * takes a moment.
 */
export const proposalQuery = (id: string) =>
  queryOptions({
    queryKey: ["proposal", id],
    queryFn: ({ signal }) => answer(api.GET("/api/ai/proposals/{id}", { params: { path: { id } }, signal })),
    staleTime: (query) => (query.state.data && isSettled(query.state.data.status) ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: (query) => {
      if (query.state.data?.status !== "applying") return false;
      return heard() ? 5_000 : 1_000;
    },
  });

export const proposalsKey = ["proposals"] as const;

/** Conversations have their own stream, and ended proposals do not change. */
const unmoved = new Set<unknown>(["conversation", "proposal"]);

/**
 * Invalidates queries after a decision. Lists of proposals and the catalog are read again at once. Other pages, which
 * the browser may have prefetched, are read again when opened.
 */
export function afterDecision(client: QueryClient): void {
  for (const queryKey of [proposalsKey, catalogKey]) void client.invalidateQueries({ queryKey });
  void client.invalidateQueries({ predicate: ({ queryKey }) => !unmoved.has(queryKey[0]), refetchType: "none" });
}

/** As many as are looked at together, and as many requests as are made for them: pages can be empty and not be the last. */
const most = { proposed: 1_000, settled: 50, requests: 20 };

/** Search among the proposals, until enough were found or enough pages were read. */
interface Search {
  /** Words that the server looks for. */
  words?: string;
  fits?: (proposal: Proposal) => boolean;
  pages: number;
}

export interface ProposalPage {
  proposals: Proposal[];
  /** Where those that are older begin, when there may be some. */
  nextCursor?: string;
}

/** Whether all words stand in what the server looks through. A server of the version before looks for none. */
function says({ summary, toolName, proposer }: Proposal, words: string): boolean {
  const text = `${summary} ${toolName} ${proposer.name}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Pending proposals are read completely, so that they can be counted; of the others the newest, from a cursor on. */
export async function listProposals(
  status: ProposalStatus | undefined,
  signal: AbortSignal,
  search?: Search,
  from?: string,
): Promise<ProposalPage> {
  const wanted = status === "proposed" ? most.proposed : most.settled;
  const { words: query, fits, pages: requests = most.requests }: Partial<Search> = search ?? {};
  const limit = fits ? 200 : Math.min(wanted, 200);
  const list: Proposal[] = [];
  let cursor = from;
  for (let asked = 0; asked < requests && list.length < wanted; asked++) {
    const params = { query: { query, status, limit, cursor } };
    const page = await answer(api.GET("/api/ai/proposals", { params, signal }));
    const found = query ? page.proposals.filter((proposal) => says(proposal, query)) : page.proposals;
    list.push(...(fits ? found.filter(fits) : found));
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  return { proposals: list, nextCursor: cursor };
}

export const proposalsQuery = (status: ProposalStatus | "all") =>
  queryOptions({
    queryKey: [...proposalsKey, status],
    queryFn: async ({ signal }) => (await listProposals(status === "all" ? undefined : status, signal)).proposals,
  });

/** The newest proposals with these words, of all that the person may see. */
export const proposalSearchQuery = (query: string, limit: number) =>
  queryOptions({
    queryKey: [...proposalsKey, "search", query, limit],
    queryFn: async ({ signal }) => {
      const { proposals } = await answer(api.GET("/api/ai/proposals", { params: { query: { query, limit } }, signal }));
      return proposals.filter((proposal) => says(proposal, query));
    },
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
      return proposals.some((proposal) => proposal.status === "applying") ? 700 : false;
    },
  });

export const applyPlan = (id: string, { tokens, reason }: { tokens: string[]; reason: string }, key: string) =>
  answer(
    api.POST("/api/ai/plans/{id}/apply", {
      params: { path: { id }, header: once(key) },
      body: { tokens, ...why(reason) },
    }),
  );

export const declinePlan = (id: string, reason: string) =>
  answer(api.POST("/api/ai/plans/{id}/decline", { params: { path: { id } }, body: why(reason) }));
