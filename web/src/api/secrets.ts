import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";

/** What can be known of a secret. Its value goes to the server and never comes back. */
export interface Secret {
  id: string;
  name: string;
  description: string;
  valueSetAt: string;
  lastUsedAt?: string;
  revision: number;
  createdAt: string;
  updatedAt: string;
}

export interface SecretUse {
  at: string;
  action: "create" | "replace" | "describe" | "delete" | "use";
  revision: number;
  actorKind: "user" | "application" | "service";
  /** Missing when the account is gone. */
  actorName?: string;
  purpose: string;
}

/** Something that refers to a secret and stops working without it. */
export interface SecretPlace {
  kind: string;
  id: string;
  name: string;
}

export interface SecretHistory {
  uses: SecretUse[];
  places: SecretPlace[];
}

export const secretsQuery = queryOptions({
  queryKey: ["secrets"],
  queryFn: async ({ signal }) => (await request<{ secrets: Secret[] }>("GET", "/api/secrets", { signal })).secrets,
});

/** Apart from the list, as the record of a secret that was deleted is not asked for again. */
export const secretHistoryKey = ["secret-history"];

export const secretHistoryQuery = (name: string) =>
  queryOptions({
    queryKey: [...secretHistoryKey, name],
    queryFn: ({ signal }) => request<SecretHistory>("GET", `/api/secrets/${name}/uses`, { signal }),
  });

export const createSecret = (fields: { name: string; description: string; value: string }, idempotencyKey: string) =>
  request<Secret>("POST", "/api/secrets", { body: fields, idempotencyKey });

export const updateSecret = (
  secret: Secret,
  fields: { description?: string; value?: string },
  idempotencyKey: string,
) =>
  request<Secret>("PATCH", `/api/secrets/${secret.name}`, { body: fields, revision: secret.revision, idempotencyKey });

export const deleteSecret = (secret: Secret, idempotencyKey: string) =>
  request<void>("DELETE", `/api/secrets/${secret.name}`, { revision: secret.revision, idempotencyKey });
