import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";
import type { Effect } from "./proposals";

/** What administrators have set about a tool. */
export interface PolicyFields {
  enabled: boolean;
  alwaysConfirm: boolean;
  twoPerson: boolean;
}

export interface ToolPolicy extends PolicyFields {
  toolName: string;
  description: string;
  effect: Effect;
  revision: number;
  updatedBy?: string;
  updatedAt?: string;
}

export const policiesQuery = queryOptions({
  queryKey: ["policies"],
  queryFn: async ({ signal }) =>
    (await request<{ policies: ToolPolicy[] }>("GET", "/api/ai/policies", { signal })).policies,
});

export interface PolicyChange {
  policy: ToolPolicy;
  change: Partial<PolicyFields>;
}

export const updatePolicy = ({ policy, change }: PolicyChange, idempotencyKey: string) =>
  request<ToolPolicy>("PATCH", `/api/ai/policies/${policy.toolName}`, {
    body: change,
    revision: policy.revision,
    idempotencyKey,
  });
