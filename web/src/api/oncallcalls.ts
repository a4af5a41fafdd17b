import { answer, api, of, once, type Schema } from "./client";
import type { Policy, Schedule } from "./oncall";

// Changes of schedules and escalation policies stand apart from the queries, which area.ts brings into the first load.

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
