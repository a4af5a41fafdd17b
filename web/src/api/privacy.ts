import { queryOptions } from "@tanstack/react-query";
import { answer, api, everyPage, once, seen, type Schema } from "./client";

export type RetentionSetting = Schema<"ConversationRetentionSetting">;
export type Retention = Schema<"ConversationRetention">;
export type KeptPerson = Schema<"ConversationOwner">;
export type KeptContent = Schema<"ConversationContent">;
export type Erasure = Schema<"ConversationErasure">;

export const retentionQuery = queryOptions({
  queryKey: ["retention"],
  queryFn: ({ signal }) => answer(api.GET("/api/ai/retention", { signal })),
});

export const setRetention = ({ revision, ...body }: RetentionSetting & { revision: number }, key: string) =>
  answer(api.PUT("/api/ai/retention", { params: { header: { ...seen({ revision }), ...once(key) } }, body }));

const privacyKey = ["privacy"] as const;

export const keptPeopleQuery = queryOptions({
  queryKey: [...privacyKey, "people"],
  queryFn: ({ signal }) =>
    everyPage(
      (query) => answer(api.GET("/api/ai/privacy/people", { params: { query }, signal })),
      ({ people }) => people,
    ),
});

export const keptContentQuery = (id: string) =>
  queryOptions({
    queryKey: [...privacyKey, "people", id],
    queryFn: ({ signal }) => answer(api.GET("/api/ai/privacy/people/{id}", { params: { path: { id } }, signal })),
  });

export const erasuresQuery = queryOptions({
  queryKey: [...privacyKey, "erasures"],
  queryFn: ({ signal }) =>
    everyPage(
      (query) => answer(api.GET("/api/ai/privacy/erasures", { params: { query }, signal })),
      ({ erasures }) => erasures,
    ),
  refetchInterval: ({ state }) => (state.data?.some((erasure) => erasure.finishedAt === null) ? 1_000 : false),
});

export const requestErasure = (body: Schema<"Request-erasureRequest">) =>
  answer(api.POST("/api/ai/privacy/erasures", { body }));
