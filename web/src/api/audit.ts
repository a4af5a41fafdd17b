import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { request } from "./client";

export const transports = ["chat", "mcp", "automation", "api"] as const;
export const effects = ["read", "mutate", "destructive"] as const;
export const callStatuses = [
  "running",
  "executed",
  "failed",
  "refused",
  "proposed",
  "applying",
  "applied",
  "declined",
  "expired",
  "skipped",
] as const;

export type Transport = (typeof transports)[number];
export type CallEffect = (typeof effects)[number];
export type CallStatus = (typeof callStatuses)[number];

export interface Actor {
  kind: string;
  id: string;
  name: string;
}

export interface ToolCall {
  id: string;
  principal: Actor;
  transport: Transport;
  toolName: string;
  effect: CallEffect;
  argsHash: string;
  status: CallStatus;
  errorCode?: string;
  appliedBy?: Actor;
  turnId?: string;
  step?: number;
  call?: number;
  createdAt: string;
  finishedAt?: string;
}

export interface ToolCallDetail extends ToolCall {
  conversationId?: string;
  proposalId?: string;
  history: {
    entry: number;
    at: string;
    callId: string;
    status: CallStatus;
    errorCode?: string;
    seq?: number;
    hash?: string;
  }[];
}

export interface AuditStatus {
  entries: number;
  head?: string;
  waitingSeconds: number;
  verifiedEntries: number;
  verifiedAt?: string;
  wholeVerifiedAt?: string;
  brokenAt?: number;
  problem?: string;
}

/** What the address of the page holds. Days are local, as YYYY-MM-DD, and both belong to the range. */
export interface AuditFilter {
  from?: string;
  to?: string;
  principal?: string;
  transport?: Transport;
  tool?: string;
  effect?: CallEffect;
  status?: CallStatus;
  text?: string;
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const day = (value: unknown) => (startOfDay(text(value)) ? text(value) : undefined);
const one = <T extends string>(values: readonly T[], value: unknown) => values.find((known) => known === value);

/** Reads a filter from an address; what makes no sense is left out. */
export function auditFilter(search: Record<string, unknown>): AuditFilter {
  return {
    from: day(search.from),
    to: day(search.to),
    principal: text(search.principal),
    transport: one(transports, search.transport),
    tool: text(search.tool),
    effect: one(effects, search.effect),
    status: one(callStatuses, search.status),
    text: text(search.text),
  };
}

/** The filter as the server's query parameters. */
export function auditParameters(filter: AuditFilter): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const name of ["principal", "transport", "tool", "effect", "status", "text"] as const) {
    const value = filter[name];
    if (value) parameters.set(name, value);
  }
  const from = startOfDay(filter.from);
  if (from) parameters.set("from", from.toISOString());
  const to = startOfDay(filter.to);
  if (to) {
    to.setDate(to.getDate() + 1);
    parameters.set("to", to.toISOString());
  }
  return parameters;
}

function startOfDay(value: string | undefined): Date | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value ?? "");
  if (!parts) return null;
  const date = new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  return date.getMonth() === Number(parts[2]) - 1 ? date : null;
}

const auditKey = ["audit"] as const;
const pageSize = 50;

interface CallsPage {
  calls: ToolCall[];
  nextCursor?: string;
}

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...auditKey, "calls", filter],
    queryFn: ({ signal, pageParam }) => {
      const parameters = auditParameters(filter);
      parameters.set("limit", String(pageSize));
      if (pageParam) parameters.set("cursor", pageParam);
      return request<CallsPage>("GET", `/api/ai/audit?${parameters}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

export const auditCallQuery = (id: string) =>
  queryOptions({
    queryKey: [...auditKey, "call", id],
    queryFn: ({ signal }) => request<ToolCallDetail>("GET", `/api/ai/audit/${encodeURIComponent(id)}`, { signal }),
  });

export const auditStatusQuery = queryOptions({
  queryKey: [...auditKey, "status"],
  queryFn: ({ signal }) => request<AuditStatus>("GET", "/api/ai/audit/verification", { signal }),
  refetchInterval: 30_000,
});

export const calledToolsQuery = queryOptions({
  queryKey: [...auditKey, "tools"],
  queryFn: async ({ signal }) => (await request<{ tools: string[] }>("GET", "/api/ai/audit/tools", { signal })).tools,
});

export const auditExportUrl = (filter: AuditFilter, format: "csv" | "ndjson") => {
  const parameters = auditParameters(filter);
  parameters.set("format", format);
  return `/api/ai/audit/export?${parameters}`;
};
