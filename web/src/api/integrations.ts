import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";

/** A model connection as the chat may offer it; credentials stay on the server. */
export interface Integration {
  connectionId: string;
  name: string;
  kind: "openai-compatible" | "demo";
  defaultModel: string;
  availableModels: string[] | null;
}

export const integrationsQuery = queryOptions({
  queryKey: ["integrations"],
  queryFn: async ({ signal }) => {
    const answer = await request<{ integrations: Integration[] }>("GET", "/api/ai/integrations", { signal });
    return answer.integrations;
  },
  staleTime: 60_000,
});

/** The models to choose from: the default first, each once. */
export function selectableModels(integration: Integration): string[] {
  return [...new Set([integration.defaultModel, ...(integration.availableModels ?? [])])];
}
