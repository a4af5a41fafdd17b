import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { dayStatus, describeDay, describeDays, outlines } from "./Days";
import { availability, duration, interval, lasting } from "./format";
import { Sparkline, sparkPath } from "./Sparkline";
import { statusOf, statuses } from "./status";
import { statusWords } from "./statuswords";

describe("A bar of days", () => {
  const days = [
    { day: "2026-11-20", availability: 1, measuredMs: 3_000, downMs: 0, worst: "healthy" },
    { day: "2026-11-21", availability: 0.9, measuredMs: 1_000, downMs: 100, worst: "unhealthy" },
    { day: "2026-11-22", availability: null, measuredMs: 0, downMs: 0, worst: "unknown" },
  ];

  it("says how the days were, and that a day without a measurement is unknown", () => {
    expect(describeDays(days)).toBe("97.5 % available over 2 measured days, 1 day unhealthy");
    expect(describeDays(days.slice(2))).toBe("1 days without a measurement");
    expect(dayStatus({ day: "2026-11-22", worst: "healthy" })).toBe("unknown");
  });

  it("counts the due times of jobs instead of time", () => {
    const nights = [
      { day: "2026-11-20", availability: 1, measuredMs: 86_400_000, downMs: 0, dueTimes: 1, worst: "healthy" },
      { ...days[1], day: "2026-11-21", availability: 0, dueTimes: 1, missedDueTimes: 1, worst: "unhealthy" },
      { day: "2026-11-22", availability: null, measuredMs: 86_400_000, downMs: 0, worst: "healthy" },
    ];
    expect(describeDays(nights)).toBe("50 % available over 3 measured days, 1 day unhealthy");
    expect(describeDay(nights[1]!)).toContain("1 of 1 due time missed");
  });

  it("has one outline for each status, the lower the worse", () => {
    const paths = outlines(days);
    expect(paths.get("healthy")).toBe("M0 0h3v24h-3z");
    expect(paths.get("unhealthy")).toBe("M4 14h3v10h-3z");
    expect(paths.size).toBe(3);
  });
});

describe("A sparkline", () => {
  it("has gaps where nothing was measured", () => {
    expect(sparkPath([1, 2, null, 3])).toBe("M1 22L32.3 12M95 2h0.01");
  });

  it("is said in words", () => {
    render(<Sparkline label="Latency" values={[12, null, 40, 15]} />);
    expect(screen.getByRole("img", { name: "Latency: 12 ms to 40 ms, last 15 ms" })).toBeDefined();
  });

  it("says when there is nothing", () => {
    render(<Sparkline label="Latency" values={[null, null]} />);
    expect(screen.getByText(/^No latency/)).toBeDefined();
  });
});

it("Figures are written as people read them", () => {
  expect([0.4, 3.14, 12.6, 1_250, 190_000, null].map(duration)).toEqual([
    "400 µs",
    "3.1 ms",
    "13 ms",
    "1.25 s",
    "3.2 min",
    "–",
  ]);
  expect([1, 30, 60, 300, 3_600, 86_400].map(interval)).toEqual(["1 s", "30 s", "60 s", "5 min", "1 h", "1 day"]);
  // A single failure means less than full availability.
  expect([1, 0.999999, 0.9987, 0.5, null].map(availability)).toEqual(["100 %", "99.999 %", "99.87 %", "50 %", "–"]);
  expect([1_000, 300_000, 3 * 3_600_000 + 60_000, 5 * 86_400_000].map(lasting)).toEqual([
    "less than a minute",
    "5 min",
    "3 h 1 min",
    "5 days",
  ]);
});

it("Each status has a word and a shape of its own, whatever its color", () => {
  expect(new Set(statuses.map((status) => statusWords[status].icon)).size).toBe(statuses.length);
  expect(statusOf("something new")).toBe("unknown");
});
