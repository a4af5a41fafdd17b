import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";

export type System = Schema<"CatalogSystem">;
export type Group = Schema<"CatalogGroup">;
export type Environment = Schema<"CatalogEnvironment">;
export type Contact = Schema<"CatalogContact">;
export type Link = Schema<"CatalogLink">;

/** Reader's access to a record; each level includes those before it. */
export type Access = System["access"];

/** Values of a system's form. Only a new system takes an owner with it. */
export type SystemFields = Required<Pick<Schema<"CatalogNewSystem">, "name" | "description" | "tags" | "metadata">> &
  Pick<Schema<"CatalogNewSystem">, "ownerTeamId">;
export type NewContact = Schema<"CatalogNewContact">;

/** Common fields of groups, environments and teams. */
export type NamedFields = Required<Pick<Schema<"CatalogNewGroup">, "name" | "description">> &
  /** Only environments have free fields. */
  Pick<Schema<"CatalogNewEnvironment">, "fields">;

/** Every catalog query starts with this key: names appear on each other's pages. */
export const catalogKey = ["catalog"] as const;

const pageSize = 100;
/** The most that the server lists at once. */
const wholeList = { query: { limit: 500 } };

/** Filter of a list of systems; undefined members do not restrict it. */
export interface SystemFilter {
  query?: string;
  tag?: string;
  teamId?: string;
  groupId?: string;
  environmentId?: string;
}

export const systemsQuery = (filter: SystemFilter) =>
  infiniteQueryOptions({
    queryKey: [...catalogKey, "systems", filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(api.GET("/api/catalog/systems", { params: { query: { limit: pageSize, ...filter, cursor } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** How many systems a list of more than one page has. */
export const systemCountQuery = (filter: SystemFilter) =>
  queryOptions({
    queryKey: [...catalogKey, "systems", filter, "count"],
    queryFn: async ({ signal }) => {
      const query = { limit: 1, count: true, ...filter };
      return (await answer(api.GET("/api/catalog/systems", { params: { query }, signal }))).count;
    },
  });

/** Systems that a text fits, for a choice of one. */
export const systemSearchQuery = (text: string) =>
  queryOptions({
    queryKey: [...catalogKey, "system-search", text],
    queryFn: async ({ signal }) => {
      const query = { query: text || undefined, limit: 20 };
      const { systems, similar = [] } = await answer(api.GET("/api/catalog/systems", { params: { query }, signal }));
      return systems.length > 0 ? systems : similar;
    },
  });

/** Tags that systems have, in order. */
export const systemTagsQuery = queryOptions({
  queryKey: [...catalogKey, "system-tags"],
  queryFn: async ({ signal }) => {
    const { tags } = await answer(api.GET("/api/catalog/system-tags", { params: wholeList, signal }));
    return tags.toSorted((a, b) => a.localeCompare(b));
  },
  staleTime: 60_000,
});

/** Systems on which the reader may share memories. */
export const shareableSystemsQuery = queryOptions({
  queryKey: [...catalogKey, "shareable-systems"],
  queryFn: async ({ signal }) => {
    const { systems } = await answer(api.GET("/api/catalog/systems", { params: wholeList, signal }));
    return systems.filter((system) => system.access !== "viewer").map(({ id, name }) => ({ id, name }));
  },
});

export const systemQuery = (id: string) =>
  queryOptions({
    queryKey: [...catalogKey, "system", id],
    queryFn: ({ signal }) => answer(api.GET("/api/catalog/systems/{id}", { params: { path: { id } }, signal })),
  });

export const groupsQuery = queryOptions({
  queryKey: [...catalogKey, "groups"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/catalog/groups", { params: wholeList, signal }))).groups,
});

export const groupQuery = (id: string) =>
  queryOptions({
    queryKey: [...catalogKey, "group", id],
    queryFn: ({ signal }) => answer(api.GET("/api/catalog/groups/{id}", { params: { path: { id } }, signal })),
  });

export const environmentQuery = (id: string) =>
  queryOptions({
    queryKey: [...catalogKey, "environment", id],
    queryFn: ({ signal }) => answer(api.GET("/api/catalog/environments/{id}", { params: { path: { id } }, signal })),
  });

export const environmentsQuery = queryOptions({
  queryKey: [...catalogKey, "environments"],
  queryFn: async ({ signal }) =>
    (await answer(api.GET("/api/catalog/environments", { params: wholeList, signal }))).environments,
});
