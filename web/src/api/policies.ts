import { queryOptions } from "@tanstack/react-query";
import { answer, api, once, seen, type Schema } from "./client";

export type ToolPolicy = Schema<"PolicyToolPolicy">;

/** Settings of a tool that administrators can change. */
export type PolicyFields = Required<Schema<"PolicyChange">>;

export const policiesQuery = queryOptions({
  queryKey: ["policies"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/ai/policies", { signal }))).policies,
});

export interface PolicyWrite {
  policy: ToolPolicy;
  change: Schema<"PolicyChange">;
}

export const updatePolicy = ({ policy, change }: PolicyWrite, key: string) =>
  answer(
    api.PATCH("/api/ai/policies/{tool}", {
      params: { path: { tool: policy.toolName }, header: { ...seen(policy), ...once(key) } },
      body: change,
    }),
  );

/** Has a second person asked about all of these tools, or about none where one refuses; answers those that have changed. */
export const requireSecondPerson = async (policies: ToolPolicy[], anyway: boolean, key: string) => {
  const tools = policies.map(({ toolName: tool, revision }) => ({ tool, revision }));
  const body = { tools, ...(anyway && { anyway }) };
  return (await answer(api.POST("/api/ai/policies/second-person", { params: { header: once(key) }, body }))).policies;
};
