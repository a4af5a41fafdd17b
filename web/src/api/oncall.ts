import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";

export type Schedule = Schema<"OncallSchedule">;
export type Policy = Schema<"OncallPolicy">;
export type Shifts = Schema<"OncallShifts">;
export type Shift = Schema<"OncallShift">;
export type Explanation = Schema<"OncallExplanation">;
export type Named = Schema<"OncallNamed">;
export type EscalationStep = Policy["steps"][number];
export type Target = EscalationStep["targets"][number];

export const oncallRules = { read: "oncall.schedule.read", manage: "oncall.schedule.manage" } as const;

/** Every query of schedules and policies starts with this key. */
export const oncallKey = ["oncall"] as const;

export const schedulesQuery = queryOptions({
  queryKey: [...oncallKey, "schedules"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/oncall/schedules", { signal }))).schedules,
});

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: [...oncallKey, "schedule", id],
    queryFn: ({ signal }) => answer(api.GET("/api/oncall/schedules/{id}", { params: { path: { id } }, signal })),
  });

export const shiftsQuery = (id: string, from: string, to: string) =>
  queryOptions({
    queryKey: [...oncallKey, "shifts", id, from, to],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/oncall/schedules/{id}/shifts", { params: { path: { id }, query: { from, to } }, signal })),
  });

export const policiesQuery = queryOptions({
  queryKey: [...oncallKey, "policies"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/oncall/policies", { signal }))).policies,
});

export const policyQuery = (id: string) =>
  queryOptions({
    queryKey: [...oncallKey, "policy", id],
    queryFn: ({ signal }) => answer(api.GET("/api/oncall/policies/{id}", { params: { path: { id } }, signal })),
  });

/** A simulated run: the people who would be called if an incident opened now. */
export const explanationQuery = (systemId: string, severity: "minor" | "major" | "critical") =>
  queryOptions({
    queryKey: [...oncallKey, "explain", systemId, severity],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/oncall/explain", { params: { query: { systemIds: [systemId], severity } }, signal })),
    enabled: systemId !== "",
  });
