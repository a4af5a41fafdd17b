import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";

type Governed = Schema<"ApiGoverned">;

/** Requirement of policies for an operation: nothing, a second person always or sometimes, or disabled. */
export type Asks = Governed["asks"] | undefined;

/** The operations about which policies ask for something, by the tool that they belong to. */
export const governedQuery = queryOptions({
  queryKey: ["governed-operations"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/ai/operations", { signal }))).operations,
  staleTime: 15_000,
});

/** Requirement of policies for a tool, also when a person does its work. */
export function useAsks(tool: string | undefined): Asks {
  const { data } = useQuery({ ...governedQuery, enabled: tool !== undefined });
  return tool === undefined ? undefined : data?.find((one) => one.tool === tool)?.asks;
}

/** The label of a button, such as "Delete system", when a policy asks for something. */
export function askingLabel(asks: Asks, label: string): string {
  if (asks === "off") return `${label} (switched off by an administrator)`;
  if (asks !== "secondPerson") return label;
  return `Ask a second person to ${label.charAt(0).toLowerCase()}${label.slice(1)}`;
}

/** Notice to show before the click; null when no policy applies. */
export function askingNotice(asks: Asks): string | null {
  switch (asks) {
    case "secondPerson":
      return "A policy requires a second person: this becomes a proposal that another user applies.";
    case "maybeSecondPerson":
      return "Some of these changes need a second person: they become proposals that another user applies.";
    case "off":
      return "An administrator has disabled this in the tool policies.";
    default:
      return null;
  }
}
