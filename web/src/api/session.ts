import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";

export type Reference = Schema<"AuthNamed">;

/** The signed-in person. */
export type Principal = Schema<"AuthMe">;
export type Settings = Schema<"ApiSettingsBody">;

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => answer(api.GET("/api/me", { signal })),
  staleTime: 60_000,
});

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => answer(api.GET("/api/settings", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

export const signOut = () => answer(api.POST("/api/auth/logout"));

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
