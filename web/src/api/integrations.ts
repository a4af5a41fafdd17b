import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";

/** A model connection as the chat may offer it; credentials stay on the server. */
export type Integration = Schema<"ConnectionIntegration">;

export const integrationsQuery = queryOptions({
  queryKey: ["integrations"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/ai/integrations", { signal }))).integrations,
  staleTime: 60_000,
});

/** The models to choose from: the default first, each once. */
export function selectableModels(integration: Integration): string[] {
  return [...new Set([integration.defaultModel, ...integration.availableModels])];
}
