import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";
import type { operations } from "./schema";

export type Actor = Schema<"AuditActor">;
export type Program = Schema<"AuditProgram">;
export type ToolCall = Schema<"AuditCall">;
export type ToolCallDetail = Schema<"AuditDetail">;
export type AuditStatus = Schema<"AuditStatus">;
/** Calls that were refused after one that has a row. */
export type Repeats = Schema<"AuditRepeats">;

export type Transport = ToolCall["transport"];
export type CallEffect = ToolCall["effect"];
export type CallStatus = ToolCall["status"];

/** The members of a union in this order. One that is missing does not compile, nor does one that the API does not have. */
export const list = <T extends string>(members: Record<T, true>) => Object.keys(members) as T[];

export const transports = list<Transport>({ chat: true, mcp: true, automation: true, api: true });
export const effects = list<CallEffect>({ read: true, mutate: true, destructive: true });
export const callStatuses = list<CallStatus>({
  running: true,
  executed: true,
  failed: true,
  refused: true,
  proposed: true,
  applying: true,
  applied: true,
  declined: true,
  expired: true,
  skipped: true,
});

type Parameters = NonNullable<operations["list-tool-calls"]["parameters"]["query"]>;

/** Filter in the address of the page. Days are local, as YYYY-MM-DD, and both belong to the range. */
export type AuditFilter = Omit<Parameters, "mine" | "cursor" | "limit">;

export const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
export const day = (value: unknown) => (startOfDay(text(value)) ? text(value) : undefined);
export const one = <T extends string>(values: readonly T[], value: unknown) => values.find((known) => known === value);

/** Reads a filter from an address; what makes no sense is left out. */
export function auditFilter(search: Record<string, unknown>): AuditFilter {
  return {
    from: day(search.from),
    to: day(search.to),
    principal: text(search.principal),
    program: text(search.program),
    transport: one(transports, search.transport),
    tool: text(search.tool),
    effect: one(effects, search.effect),
    status: one(callStatuses, search.status),
    text: text(search.text),
  };
}

/** The filter as the server's query parameters. */
export function auditParameters(filter: AuditFilter): AuditFilter {
  return { ...filter, from: startOfDay(filter.from)?.toISOString(), to: nextDay(filter.to)?.toISOString() };
}

/** The end of a day that belongs to a range. */
export function nextDay(value: string | undefined): Date | null {
  const date = startOfDay(value);
  date?.setDate(date.getDate() + 1);
  return date;
}

export function startOfDay(value: string | undefined): Date | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value ?? "");
  if (!parts) return null;
  const date = new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  return date.getMonth() === Number(parts[2]) - 1 ? date : null;
}

export const auditKey = ["audit"] as const;
const pageSize = 50;

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...auditKey, "calls", filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/ai/audit", {
          params: { query: { ...auditParameters(filter), limit: pageSize, cursor } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const auditCallQuery = (id: string) =>
  queryOptions({
    queryKey: [...auditKey, "call", id],
    queryFn: ({ signal }) => answer(api.GET("/api/ai/audit/{id}", { params: { path: { id } }, signal })),
  });

export const auditStatusQuery = queryOptions({
  queryKey: [...auditKey, "status"],
  queryFn: ({ signal }) => answer(api.GET("/api/ai/audit/verification", { signal })),
  refetchInterval: 30_000,
});

export const calledToolsQuery = queryOptions({
  queryKey: [...auditKey, "tools"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/ai/audit/tools", { signal }))).tools,
});

type Export = NonNullable<operations["export-tool-calls"]["parameters"]["query"]>;

/** Where the browser downloads the calls that the filter lists. */
export const auditExportUrl = (filter: AuditFilter, format: NonNullable<Export["format"]>) => {
  const parameters: Export = { ...auditParameters(filter), format };
  const given = Object.entries(parameters).filter(([, value]) => value);
  return `/api/ai/audit/export?${new URLSearchParams(given as [string, string][])}`;
};
