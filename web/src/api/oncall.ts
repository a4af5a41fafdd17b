import { queryOptions } from "@tanstack/react-query";
import { answer, api, of, once, type Schema } from "./client";

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

export const deleteSchedule = (schedule: Schedule, key: string) =>
  answer(api.DELETE("/api/oncall/schedules/{id}", { params: of(schedule, key) }));

export const deletePolicy = (policy: Policy, key: string) =>
  answer(api.DELETE("/api/oncall/policies/{id}", { params: of(policy, key) }));

/** Puts a person on call in everybody's place for some hours from now. */
export const takeOver = (id: string, personId: string, from: number, hours: number, key: string) =>
  answer(
    api.POST("/api/oncall/schedules/{id}/overrides", {
      params: { path: { id }, header: once(key) },
      body: { personId, start: new Date(from).toISOString(), end: new Date(from + hours * 3_600_000).toISOString() },
    }),
  );

export const createSchedule = (body: Schema<"OncallNewSchedule">, key: string) =>
  answer(api.POST("/api/oncall/schedules", { params: { header: once(key) }, body }));

export const updateSchedule = (schedule: Schedule, body: Schema<"OncallScheduleChange">, key: string) =>
  answer(api.PATCH("/api/oncall/schedules/{id}", { params: of(schedule, key), body }));

export const createPolicy = (body: Schema<"OncallNewPolicy">, key: string) =>
  answer(api.POST("/api/oncall/policies", { params: { header: once(key) }, body }));

export const updatePolicy = (policy: Policy, body: Schema<"OncallPolicyChange">, key: string) =>
  answer(api.PATCH("/api/oncall/policies/{id}", { params: of(policy, key), body }));

export const addOverride = (id: string, body: Schema<"OncallNewOverride">, key: string) =>
  answer(api.POST("/api/oncall/schedules/{id}/overrides", { params: { path: { id }, header: once(key) }, body }));

export const removeOverride = (id: string, overrideId: string, key: string) =>
  answer(
    api.DELETE("/api/oncall/schedules/{id}/overrides/{overrideId}", {
      params: { path: { id, overrideId }, header: once(key) },
    }),
  );

/** Sets the calendar of a schedule; without address and file it is removed. */
export const setCalendar = (schedule: Schedule, body: Schema<"OncallImport">, key: string) =>
  answer(api.PUT("/api/oncall/schedules/{id}/calendar", { params: of(schedule, key), body }));
