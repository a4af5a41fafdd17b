import { queryOptions } from "@tanstack/react-query";
import { answer, api, once, seen, type Schema } from "./client";

export type ScriptPolicy = Schema<"ScriptpolicyPolicy">;
export type ScriptNetwork = ScriptPolicy["network"];

/** Milliseconds, bytes and counts. */
export type ScriptLimits = Schema<"ScriptpolicyScriptLimits">;

/** Its revision is 0 when there is no policy. */
export type StoredScriptPolicy = Schema<"ScriptpolicyStored">;
export type ScriptPolicyChange = Schema<"ScriptpolicyPolicyChange">;

export const scriptPolicyQuery = queryOptions({
  queryKey: ["script-policy"],
  queryFn: ({ signal }) => answer(api.GET("/api/script-policy", { signal })),
});

export const scriptPolicyChangesQuery = queryOptions({
  queryKey: ["script-policy", "changes"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/script-policy/changes", { signal }))).changes,
});

export const setScriptPolicy = ({ policy, revision }: { policy: ScriptPolicy; revision: number }, key: string) =>
  answer(
    api.PUT("/api/script-policy", {
      params: { header: { ...(revision > 0 && seen({ revision })), ...once(key) } },
      body: policy,
    }),
  );
