import { expect, it } from "vitest";
import type { CalendarEntry } from "../api/maintenances";
import { dayKey, daysOf, monthAt, monthOf, onDay } from "./month";

it("A month has the days of its weeks, from Monday to Sunday", () => {
  for (let by = 0; by < 36; by++) {
    const month = monthOf(monthAt("2026-01", by));
    const days = daysOf(month);
    expect(days.length % 7).toBe(0);
    expect(days[0].getDay()).toBe(1);
    expect(new Set(days.map(dayKey)).size).toBe(days.length);
    const own = days.filter((day) => monthOf(day) === month);
    expect(own.length).toBe(new Date(monthAt(month, 1).getTime() - 1).getDate());
  }
});

const at = (day: number, hour: number) => new Date(2026, 2, day, hour).toISOString();

it("An entry is on each day that it touches", () => {
  const entry = { startAt: at(28, 23), endAt: at(30, 0) } as CalendarEntry;
  const on = daysOf("2026-03").filter((day) => onDay([entry], day).length > 0);
  expect(on.map(dayKey)).toEqual(["2026-03-28", "2026-03-29"]);
});
