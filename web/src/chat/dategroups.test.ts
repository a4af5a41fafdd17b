import { expect, it } from "vitest";
import { groupByDate } from "./dategroups";

const now = new Date(2026, 2, 30, 10, 0).getTime();
const at = (month: number, day: number, hour = 12, year = 2026) => new Date(year, month - 1, day, hour).toISOString();

it("groups by the days of the calendar, then by months", () => {
  const times = [
    at(3, 30, 11),
    at(3, 30, 0),
    at(3, 29, 23),
    at(3, 29, 0),
    at(3, 28, 23),
    at(3, 23, 0),
    at(3, 22, 23),
    at(2, 1),
    at(12, 31, 12, 2025),
    at(12, 1, 12, 2025),
  ];
  const groups = groupByDate(times, (time) => time, now);
  expect(groups.map(({ label, items }) => [label, items.length])).toEqual([
    ["Today", 2],
    ["Yesterday", 2],
    ["Previous 7 days", 2],
    ["March", 1],
    ["February", 1],
    ["December 2025", 2],
  ]);
});
