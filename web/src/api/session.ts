import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";

export interface Reference {
  id: string;
  name: string;
}

/** The signed-in person. */
export interface Principal {
  kind: "user";
  id: string;
  name: string;
  email: string;
  rules: string[];
  teams: Reference[];
  roles: Reference[];
}

export interface Settings {
  version: string;
  temporalUiUrl: string;
  temporalNamespace: string;
  limits: { maxSteps: number; proposalTtlSeconds: number };
}

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => request<Principal>("GET", "/api/me", { signal }),
  staleTime: 60_000,
});

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => request<Settings>("GET", "/api/settings", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const signIn = (credentials: { email: string; password: string }) =>
  request<unknown>("POST", "/api/auth/login", { body: credentials });

export const signOut = () => request<void>("POST", "/api/auth/logout");

/** Whether the principal holds an access rule; `*` stands for all of them. */
export function holds(principal: Principal | undefined, rule: string): boolean {
  return principal !== undefined && (principal.rules.includes("*") || principal.rules.includes(rule));
}

/** Link to a workflow in the Temporal Web UI, or null when there is none. */
export function workflowUrl(settings: Settings | undefined, workflowId: string): string | null {
  if (!settings?.temporalUiUrl) return null;
  const base = settings.temporalUiUrl.replace(/\/+$/, "");
  return `${base}/namespaces/${encodeURIComponent(settings.temporalNamespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
