import { describe, expect, it } from "vitest";
import { rangeOf } from "../api/spend";
import type { SpendReport, SpendUse } from "../api/spend";
import { csvField, csvName, csvOf, limitLine, seriesName, stacked, totals } from "./spenddata";

const used = (tokens: number): SpendUse => ({
  calls: tokens > 0 ? 1 : 0,
  priced: 0,
  tokens,
  inputTokens: tokens,
  outputTokens: 0,
  cachedTokens: 0,
  costMicros: tokens * 10,
});

const report: SpendReport = {
  zone: "UTC",
  step: "day",
  split: "person",
  starts: ["2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"],
  end: "2026-11-03T00:00:00Z",
  series: [
    { key: "a", name: '=HYPERLINK("http://x")', others: false, total: used(5), slots: [used(2), used(3)] },
    { key: "", others: true, total: used(4), slots: [used(4), used(0)] },
  ],
  limits: [],
};

describe("a file for a spreadsheet", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r=1"])("makes text of %j", (text) => {
    expect(csvField(text).replace(/^"/, "")).toMatch(/^'/);
  });
  it("leaves numbers and plain words as they are", () => {
    expect([csvField(-5), csvField("Ada"), csvField('a "b", c')]).toEqual(["-5", "Ada", '"a ""b"", c"']);
  });
  it("has a line for each series and slot in which something was used", () => {
    const lines = csvOf(report).trimEnd().split("\r\n");
    expect(lines).toHaveLength(4);
    expect(lines[1]).toBe(`2026-11-01T00:00:00Z,a,"'=HYPERLINK(""http://x"")",1,0,2,2,0,0,0.00002`);
    expect(lines[3]).toContain("All others");
  });
  it("is named after the first day of its reader", () => {
    const vienna = { ...report, zone: "Europe/Vienna", starts: ["2026-10-31T23:00:00Z"] };
    expect(csvName(vienna)).toBe("spend-by-person-2026-11-01.csv");
  });
});

it("stacks the series", () => {
  expect(stacked(report, "tokens")).toEqual([
    [2, 3],
    [6, 3],
  ]);
  expect(totals(report, "cost")).toEqual([60, 30]);
});

describe("the limit", () => {
  const limit = { connectionId: "c", connectionName: "C", tokens: 100, used: 0 };
  const one = { ...limit, windowMinutes: 60 };
  it("is what a slot can hold of it", () => {
    expect(limitLine({ ...report, limits: [one] }, "tokens", "c")).toEqual([2400, 2400]);
    expect(limitLine({ ...report, limits: [{ ...limit, windowMinutes: 43_200 }] }, "tokens", "c")).toEqual([100, 100]);
  });
  it("is no line where there are several, or costs", () => {
    expect(limitLine({ ...report, limits: [one, one] }, "tokens", "c")).toBeUndefined();
    expect(limitLine({ ...report, limits: [one] }, "cost", "c")).toBeUndefined();
  });
  it("is no line where other connections are counted too", () => {
    const on = (...keys: string[]) => ({
      ...report,
      split: "connection" as const,
      limits: [one],
      series: keys.map((key) => ({ key, others: false, total: used(5), slots: [used(2), used(3)] })),
    });
    expect(limitLine(on("c"), "tokens")).toEqual([2400, 2400]);
    expect(limitLine(on("another"), "tokens")).toBeUndefined();
    expect(limitLine(on("c", "another"), "tokens")).toBeUndefined();
    expect(limitLine({ ...report, limits: [one] }, "tokens")).toBeUndefined();
    expect(limitLine({ ...report, limits: [one] }, "tokens", "another")).toBeUndefined();
  });
});

it("says what a series is", () => {
  const series = { key: "", others: false, total: used(0), slots: [] };
  expect(seriesName({ ...series, key: "x" }, "person")).toBe("Deleted account");
  expect(seriesName(series, "team")).toBe("In no team");
  expect(seriesName(series, "model")).toBe("Unknown model");
});

it("counts days of the reader", () => {
  expect(rangeOf("week", new Date(2026, 10, 3, 23, 30))).toMatchObject({
    from: "2026-10-28",
    to: "2026-11-03",
    step: "day",
  });
});

const mondayOf = (day: string) => Date.parse(day) - ((new Date(day).getUTCDay() + 6) % 7) * 86_400_000;

it("has as many weeks and months as it says", () => {
  for (let day = 1; day <= 30; day++) {
    const { from, to } = rangeOf("quarter", new Date(2026, 10, day));
    expect((mondayOf(to) - mondayOf(from)) / 86_400_000 / 7 + 1).toBe(13);
  }
  for (const day of [new Date(2026, 10, 1), new Date(2026, 10, 30), new Date(2027, 2, 31)])
    expect(rangeOf("year", day).from).toBe(`${day.getFullYear() - 1}-${day.getMonth() === 2 ? "04" : "12"}-01`);
});
