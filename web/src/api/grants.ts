import { queryOptions } from "@tanstack/react-query";
import { answer, api, once, seen, type Schema } from "./client";
import { online } from "./problem";

/** Grants on one object, as read. */
export type Grants = Schema<"AuthAccess"> & { revision: number };
export type Grant = Schema<"AuthGrant">;
export type Relation = Grant["relation"];

/** The access rules of grants. */
export const grantRules = { read: "auth.teams.read", manage: "auth.teams.manage" } as const;

export const grantsKey = ["grants"] as const;

export const grantsQuery = (objectType: string, objectId: string) =>
  queryOptions({
    queryKey: [...grantsKey, objectType, objectId],
    queryFn: async ({ signal }): Promise<Grants> => {
      const { data, response } = await online(() =>
        api.GET("/api/grants/{objectType}/{objectId}", { params: { path: { objectType, objectId } }, signal }),
      );
      const { grants, private: closed } = data as Schema<"AuthAccess">;
      return { grants, private: closed, revision: Number(/\d+/.exec(response.headers.get("etag") ?? "")?.[0] ?? 0) };
    },
  });

export const setGrants = (
  objectType: string,
  objectId: string,
  began: Grants,
  body: Schema<"AuthAccess">,
  key: string,
) =>
  answer(
    api.PUT("/api/grants/{objectType}/{objectId}", {
      params: { path: { objectType, objectId }, header: { ...seen(began), ...once(key) } },
      body,
    }),
  );
