import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";

export interface RetentionSetting {
  enabled: boolean;
  archivedDays: number | null;
  idleDays: number | null;
}

export interface Retention extends RetentionSetting {
  revision: number;
  sweptAt: string | null;
  deleted: number;
}

export interface KeptPerson {
  id: string;
  /** Empty when the account is gone. */
  name: string;
  email: string;
  conversations: number;
}

export interface KeptContent {
  conversations: number;
  messages: number;
  turns: number;
  proposals: number;
  other: Record<string, number>;
}

export interface Erasure {
  id: string;
  personId: string;
  /** Empty when the account is gone. */
  personName: string;
  requestedByName: string;
  requestedAt: string;
  finishedAt: string | null;
  deleted: KeptContent;
}

export const retentionQuery = queryOptions({
  queryKey: ["retention"],
  queryFn: ({ signal }) => request<Retention>("GET", "/api/ai/retention", { signal }),
});

export const setRetention = (setting: RetentionSetting & { revision: number }, idempotencyKey: string) => {
  const { revision, ...body } = setting;
  return request<Retention>("PUT", "/api/ai/retention", { body, revision, idempotencyKey });
};

const privacyKey = ["privacy"] as const;

export const keptPeopleQuery = queryOptions({
  queryKey: [...privacyKey, "people"],
  queryFn: async ({ signal }) =>
    (await request<{ people: KeptPerson[] }>("GET", "/api/ai/privacy/people", { signal })).people,
});

export const keptContentQuery = (person: string) =>
  queryOptions({
    queryKey: [...privacyKey, "people", person],
    queryFn: ({ signal }) => request<KeptContent>("GET", `/api/ai/privacy/people/${person}`, { signal }),
  });

export const erasuresQuery = queryOptions({
  queryKey: [...privacyKey, "erasures"],
  queryFn: async ({ signal }) =>
    (await request<{ erasures: Erasure[] }>("GET", "/api/ai/privacy/erasures", { signal })).erasures,
  refetchInterval: ({ state }) => (state.data?.some((erasure) => erasure.finishedAt === null) ? 1_000 : false),
});

export const requestErasure = (person: { personId: string; email: string }, idempotencyKey: string) =>
  request<Erasure>("POST", "/api/ai/privacy/erasures", { body: person, idempotencyKey });
