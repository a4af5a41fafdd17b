import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { auditKey, day, list, nextDay, one, startOfDay, text } from "./audit";
import { answer, api, type Schema } from "./client";
import type { operations } from "./schema";

export type ChangeEntry = Schema<"AuditChangeEntry">;
export type Item = Schema<"AuditItem">;
export type ChangedField = Schema<"AuditField">;
export type ChangeAction = ChangeEntry["action"];
export type Way = NonNullable<ChangeEntry["transport"]>;

/** An object whose history can be read: its type, such as catalog.system, and its key. */
export interface HistoryOf {
  type: string;
  id: string;
}

export const changeActions = list<ChangeAction>({
  created: true,
  changed: true,
  deleted: true,
  added: true,
  removed: true,
  granted: true,
  withdrawn: true,
  archived: true,
  restored: true,
  erased: true,
  ran: true,
  "signed-in": true,
  "sign-in-failed": true,
  "signed-out": true,
  "token-refused": true,
  "name-refused": true,
  decided: true,
  refused: true,
});

export const ways = list<Way>({
  page: true,
  api: true,
  application: true,
  chat: true,
  mcp: true,
  automation: true,
  system: true,
});

type Parameters = NonNullable<operations["list-changes"]["parameters"]["query"]>;

/** Filter in the address of the list. Days are local, as YYYY-MM-DD, and both belong to the range. */
export type ChangeFilter = Omit<Parameters, "mine" | "cursor" | "limit">;

/** Reads a filter from an address; what makes no sense is left out. */
export function changeFilter(search: Record<string, unknown>): ChangeFilter {
  const objectType = text(search.objectType);
  return {
    from: day(search.from),
    to: day(search.to),
    objectType,
    objectId: objectType && text(search.objectId),
    action: one(changeActions, search.action),
    principal: text(search.principal),
    program: text(search.program),
    proposal: text(search.proposal),
    transport: one(ways, search.transport),
    text: text(search.text),
  };
}

/** The filter as the server's query parameters. */
export function changeParameters(filter: ChangeFilter): ChangeFilter {
  return { ...filter, from: startOfDay(filter.from)?.toISOString(), to: nextDay(filter.to)?.toISOString() };
}

const pageSize = 50;
const historySize = 10;

export const changesQuery = (filter: ChangeFilter) =>
  infiniteQueryOptions({
    queryKey: [...auditKey, "changes", filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/ai/audit/changes", {
          params: { query: { ...changeParameters(filter), limit: pageSize, cursor } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** Changes of one object, newest first. They are read again whenever shown: any page may have changed the object. */
export const historyQuery = ({ type: objectType, id: objectId }: HistoryOf) =>
  infiniteQueryOptions({
    queryKey: [...auditKey, "history", objectType, objectId],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/history/{objectType}/{objectId}", {
          params: { path: { objectType, objectId }, query: { limit: historySize, cursor } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

export type ObjectType = Schema<"AuditObjectType">;

/** The types of objects by id. They are those of the running version. */
export const objectTypesQuery = queryOptions({
  queryKey: ["object-types"],
  queryFn: async ({ signal }) => {
    const { types } = await answer(api.GET("/api/ai/audit/types", { signal }));
    return new Map(types.map((type) => [type.type, type]));
  },
  staleTime: Number.POSITIVE_INFINITY,
});

type Export = NonNullable<operations["export-changes"]["parameters"]["query"]>;

/** Where the browser downloads the changes that the filter lists. */
export const changesExportUrl = (filter: ChangeFilter, format: NonNullable<Export["format"]>) => {
  const parameters: Export = { ...changeParameters(filter), format };
  const given = Object.entries(parameters).filter(([, value]) => value);
  return `/api/ai/audit/changes/export?${new URLSearchParams(given as [string, string][])}`;
};
