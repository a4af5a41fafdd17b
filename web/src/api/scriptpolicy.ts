import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";

export type ScriptNetwork = "off" | "allowlist" | "public";

/** Milliseconds, bytes and counts. */
export interface ScriptLimits {
  timeoutMs: number;
  memoryBytes: number;
  outputBytes: number;
  resultBytes: number;
  hostCalls: number;
  hostBytes: number;
}

export interface ScriptPolicy {
  network: ScriptNetwork;
  allow: string[];
  test: ScriptLimits;
  run: ScriptLimits;
}

export interface StoredScriptPolicy extends ScriptPolicy {
  /** What is stored cannot be used: scripts have no network and the tightest limits. */
  downgraded: boolean;
  /** 0 when there is no policy. */
  revision: number;
  updatedAt?: string;
  updatedBy?: string;
}

export interface ScriptPolicyChange {
  at: string;
  revision: number;
  actorKind: "user" | "application" | "service";
  actorName?: string;
  before?: ScriptPolicy;
  after: ScriptPolicy;
}

export const scriptPolicyQuery = queryOptions({
  queryKey: ["script-policy"],
  queryFn: ({ signal }) => request<StoredScriptPolicy>("GET", "/api/script-policy", { signal }),
});

export const scriptPolicyChangesQuery = queryOptions({
  queryKey: ["script-policy", "changes"],
  queryFn: async ({ signal }) =>
    (await request<{ changes: ScriptPolicyChange[] }>("GET", "/api/script-policy/changes", { signal })).changes,
});

export const setScriptPolicy = (
  { policy, revision }: { policy: ScriptPolicy; revision: number },
  idempotencyKey: string,
) =>
  request<StoredScriptPolicy>("PUT", "/api/script-policy", {
    body: policy,
    revision: revision > 0 ? revision : undefined,
    idempotencyKey,
  });
