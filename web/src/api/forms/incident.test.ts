import { expect, it } from "vitest";
import { incidentSchema, incidentValues, instantOf, localTime } from "./incident";

it("keeps the instant of a local time over the form", () => {
  const at = "2026-06-01T10:00:00.000Z";
  expect(instantOf(localTime(at))).toBe(at);
  expect(instantOf("")).toBeUndefined();
  expect(localTime(undefined)).toBe("");
});

it("refuses a start in the future and an incident without a system", () => {
  const values = { ...incidentValues(undefined, "s1"), title: "Slow" };
  expect(incidentSchema.safeParse(values).success).toBe(true);
  expect(incidentSchema.safeParse({ ...values, startedAt: "2999-01-01T00:00" }).success).toBe(false);
  expect(incidentSchema.safeParse({ ...values, systemIds: [] }).success).toBe(false);
  expect(incidentSchema.safeParse({ ...values, title: "  " }).success).toBe(false);
});
