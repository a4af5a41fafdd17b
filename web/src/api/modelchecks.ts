import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";

/** A check of a model: scripted situations that were played to it. */
export type ModelCheck = Schema<"ModelcheckCheck">;
/** A check with what came of each situation. */
export type ModelCheckReport = Schema<"ModelcheckReport">;
export type ModelCheckOutcome = Schema<"ModelcheckOutcome">;
export type NewModelCheck = Schema<"ModelcheckNewCheck">;
export type Verdict = ModelCheckOutcome["verdict"];

/** Poll interval of a running check, in milliseconds. */
const running = 1500;

export const modelChecksQuery = infiniteQueryOptions({
  queryKey: ["model-checks"],
  queryFn: ({ signal, pageParam }) =>
    answer(api.GET("/api/ai/model-checks", { params: { query: { limit: 50, cursor: pageParam } }, signal })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }) => nextCursor,
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ checks }) => checks.some(({ status }) => status === "running")) ? running * 2 : false,
});

export const modelCheckQuery = (id: string) =>
  queryOptions({
    queryKey: ["model-checks", id],
    queryFn: ({ signal }) => answer(api.GET("/api/ai/model-checks/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? running : false),
  });

/** A connection has one check at a time, so a repeat does no harm. */
export const startModelCheck = (body: NewModelCheck) => answer(api.POST("/api/ai/model-checks", { body }));

export const stopModelCheck = (id: string) =>
  answer(api.POST("/api/ai/model-checks/{id}/stop", { params: { path: { id } } }));

/** The share of the judged situations that were passed; null when none was judged. */
export const passRate = ({ passed, failed }: { passed: number; failed: number }) =>
  passed + failed > 0 ? passed / (passed + failed) : null;
