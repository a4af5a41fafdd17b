import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";

type Governed = Schema<"ApiGoverned">;

/** What policies ask for about an operation: nothing, a second person always or sometimes, or that nobody does it. */
export type Asks = Governed["asks"] | undefined;

/** The operations about which policies ask for something, by the tool that they belong to. */
export const governedQuery = queryOptions({
  queryKey: ["governed-operations"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/ai/operations", { signal }))).operations,
  staleTime: 15_000,
});

/** What policies ask for about what a tool does, also when a person does it. */
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

/** What somebody should know before the click; null when it simply happens. */
export function askingNotice(asks: Asks): string | null {
  switch (asks) {
    case "secondPerson":
      return "A policy asks for a second person: this becomes a proposal that somebody else applies. Nothing changes before that.";
    case "maybeSecondPerson":
      return "While a policy asks for a second person, some of these changes need one too. Such a change becomes a proposal that somebody else applies.";
    case "off":
      return "An administrator has switched this off, for everybody. It can be done again once it is on in the tool policies.";
    default:
      return null;
  }
}
