import type { Connection, ModelsAnswer, ModelsQuestion } from "../api/connections";
import type { Suggestion } from "../ui/SuggestField";

const tokens = (count: number) => `${count.toLocaleString("en")} tokens`;

/** Whom to ask, by what the form holds. */
export function questionOf(
  connection: Connection | undefined,
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
): ModelsQuestion {
  return {
    connectionId: connection?.id,
    ...(connection?.kind !== "demo" && { baseUrl: baseUrl.trim(), apiKey: apiKey.trim() || undefined }),
  };
}

export const suggestionsOf = (answer: ModelsAnswer | undefined): Suggestion[] =>
  (answer?.models ?? []).map(({ id, windowTokens }) => ({
    value: id,
    detail: windowTokens ? `Context window: ${tokens(windowTokens)}` : undefined,
  }));

/** Context window that the list states for the chosen model. */
export const windowOf = (models: readonly Suggestion[], chosen: string) =>
  models.find(({ value }) => value === chosen.trim())?.detail;

/** Titles of failures, before the provider's own words. */
export const outcomeTitles: Record<Exclude<ModelsAnswer["outcome"], "listed">, string> = {
  refused: "The provider refuses the key.",
  unreachable: "The provider cannot be reached.",
  noList: "The provider offers no model list.",
  unreadable: "The response is not a model list.",
  failed: "The request to the provider failed.",
};
