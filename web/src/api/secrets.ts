import { queryOptions } from "@tanstack/react-query";
import { answer, api, everyPage, once, seen, type Schema } from "./client";

/** Public facts of a secret. Its value goes to the server and never comes back. */
export type Secret = Schema<"VaultSecret">;
export type SecretUse = Schema<"VaultSecretUse">;

export type SecretHistory = Schema<"VaultSecretHistory">;

/** Something that refers to a secret and stops working without it. */
export type SecretPlace = Schema<"VaultSecretPlace">;

export const secretsQuery = queryOptions({
  queryKey: ["secrets"],
  queryFn: ({ signal }) =>
    everyPage(
      (query) => answer(api.GET("/api/secrets", { params: { query }, signal })),
      ({ secrets }) => secrets,
    ),
});

/** Apart from the list, as the record of a secret that was deleted is not asked for again. */
export const secretHistoryKey = ["secret-history"];

export const secretHistoryQuery = ({ id, name }: Secret) =>
  queryOptions({
    queryKey: [...secretHistoryKey, id],
    queryFn: ({ signal }) => answer(api.GET("/api/secrets/{name}/uses", { params: { path: { name } }, signal })),
  });

export const createSecret = (body: Schema<"VaultNewSecret">, key: string) =>
  answer(api.POST("/api/secrets", { params: { header: once(key) }, body }));

const of = (secret: Secret, key: string) => ({
  path: { name: secret.name },
  header: { ...seen(secret), ...once(key) },
});

export const updateSecret = (secret: Secret, body: Schema<"VaultSecretChange">, key: string) =>
  answer(api.PATCH("/api/secrets/{name}", { params: of(secret, key), body }));

export const deleteSecret = (secret: Secret, key: string) =>
  answer(api.DELETE("/api/secrets/{name}", { params: of(secret, key) }));
