import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { one, text } from "./audit";
import { answer, api, type Schema } from "./client";
import type { operations } from "./schema";

export type TurnLine = Schema<"InspectorTurn">;
export type TurnReport = Schema<"InspectorReport">;
export type TurnEntry = Schema<"InspectorEntry">;

type Parameters = NonNullable<operations["list-turns"]["parameters"]["query"]>;

/** Filter in the address of the list. */
export type TurnFilter = Omit<Parameters, "cursor" | "limit" | "connectionId">;
export type TurnStatus = NonNullable<TurnFilter["status"]>;

export type TurnFeedback = NonNullable<TurnFilter["feedback"]>;

export const turnFeedbacks: readonly TurnFeedback[] = ["up", "down", "comment"];

export const turnStatuses: readonly TurnStatus[] = ["running", "failed", "done", "stopped"];

/** From how many seconds on a turn can be looked for as slow. */
export const slowSeconds: readonly number[] = [10, 30, 120];

/** Reads a filter from an address; what makes no sense is left out. */
export function turnFilter(search: Record<string, unknown>): TurnFilter {
  return {
    status: one(turnStatuses, search.status),
    slowSeconds: slowSeconds.find((seconds) => seconds === Number(search.slowSeconds)),
    principalId: text(search.principalId),
    model: text(search.model),
    feedback: one(turnFeedbacks, search.feedback),
  };
}

const pageSize = 50;

export const turnsQuery = (filter: TurnFilter) =>
  infiniteQueryOptions({
    queryKey: ["turns", "list", filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(api.GET("/api/ai/turns", { params: { query: { ...filter, limit: pageSize, cursor } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** A turn that still runs is read again. */
export const turnQuery = (id: string) =>
  queryOptions({
    queryKey: ["turns", "one", id],
    queryFn: ({ signal }) => answer(api.GET("/api/ai/turns/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && !state.data.finishedAt ? 2_000 : false),
  });
