import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";

export type ModelFamily = "generic" | "openai" | "anthropic";

export interface SpendCap {
  tokenBudget: number;
  windowMinutes: number;
}

/** A model provider as an administrator sees it; the key is write-only. */
export interface Connection {
  id: string;
  name: string;
  kind: "openai-compatible" | "demo";
  baseUrl: string;
  defaultModel: string;
  availableModels: string[] | null;
  contextWindowTokens?: number | null;
  modelFamily?: ModelFamily | null;
  spendCap?: SpendCap | null;
  /** Of applications and automations; without it the spend cap is for them too. */
  unattendedSpendCap?: SpendCap | null;
  disableTopicalClassifier: boolean;
  hasKey: boolean;
  /** A disabled connection is not offered and answers nothing. */
  enabled: boolean;
  /** New chats begin with it. */
  isDefault: boolean;
  revision: number;
}

/** What one principal has used of a connection within the window of its cap. */
export interface PrincipalSpend {
  connectionId: string;
  principalKind: "user" | "application" | "service";
  principalId: string;
  principalName?: string;
  unattended: boolean;
  tokens: number;
  reserved: number;
  calls: number;
  windowMinutes: number;
  cap?: number;
}

export interface ConnectionFields {
  name: string;
  /** The built-in demo model has no address. */
  baseUrl?: string;
  apiKey?: string;
  defaultModel: string;
  availableModels: string[];
  /** null takes the setting away. */
  contextWindowTokens: number | null;
  modelFamily: ModelFamily;
  spendCap: SpendCap | null;
  unattendedSpendCap: SpendCap | null;
  disableTopicalClassifier: boolean;
  enabled: boolean;
  /** Only true can be sent: the default is taken away by giving it to another connection. */
  isDefault?: true;
}

export interface ConnectionCheck {
  ok: boolean;
  message: string;
  latencyMs: number;
  models?: string[] | null;
}

export const connectionsQuery = queryOptions({
  queryKey: ["connections"],
  queryFn: async ({ signal }) =>
    (await request<{ connections: Connection[] }>("GET", "/api/ai/connections", { signal })).connections,
});

export const spendQuery = queryOptions({
  queryKey: ["connections", "spend"],
  queryFn: async ({ signal }) => (await request<{ spend: PrincipalSpend[] }>("GET", "/api/ai/spend", { signal })).spend,
});

export const createConnection = (fields: ConnectionFields, idempotencyKey: string) =>
  request<Connection>("POST", "/api/ai/connections", {
    body: {
      ...fields,
      contextWindowTokens: fields.contextWindowTokens ?? undefined,
      spendCap: fields.spendCap ?? undefined,
      unattendedSpendCap: fields.unattendedSpendCap ?? undefined,
    },
    idempotencyKey,
  });

export const updateConnection = (connection: Connection, fields: Partial<ConnectionFields>, idempotencyKey: string) =>
  request<Connection>("PATCH", `/api/ai/connections/${connection.id}`, {
    body: fields,
    revision: connection.revision,
    idempotencyKey,
  });

export const deleteConnection = (connection: Connection, idempotencyKey: string) =>
  request<void>("DELETE", `/api/ai/connections/${connection.id}`, { revision: connection.revision, idempotencyKey });

export const testConnection = (id: string, signal?: AbortSignal) =>
  request<ConnectionCheck>("POST", `/api/ai/connections/${id}/test`, { signal });
