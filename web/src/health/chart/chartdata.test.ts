import { describe, expect, it } from "vitest";
import {
  alone,
  between,
  columnsOf,
  describeChart,
  describePoint,
  pointAt,
  spansOf,
  strip,
  type ChartPoint,
} from "./chartdata";

const start = Date.parse("2026-11-22T00:00:00Z");
const minute = 60_000;
const time = (minutes: number) => new Date(start + minutes * minute).toISOString();

const points: ChartPoint[] = [
  { at: time(0), runs: 4, failed: 0, p50Ms: 10, p95Ms: 20, maxMs: 30 },
  { at: time(1), runs: 0, failed: 0, missed: 3, p50Ms: 99 },
  { at: time(2), runs: 4, failed: 1, p50Ms: 12, p95Ms: 40, maxMs: 41 },
];

// One hour in 500 points, of a check that runs each minute: a run in each eighth or ninth point.
const sparse = (missing: (minutes: number) => boolean = () => false, missed = 0): ChartPoint[] =>
  Array.from({ length: 500 }, (_, at) => {
    const minutes = Math.floor((at * 3_600) / 500 / 60);
    const first = at === 0 || Math.floor(((at - 1) * 3_600) / 500 / 60) !== minutes;
    const runs = first && !missing(minutes) ? 1 : 0;
    return {
      at: new Date(start + at * 7_200).toISOString(),
      runs,
      failed: 0,
      ...(first && missing(minutes) && { missed }),
      ...(runs > 0 && { p50Ms: minutes + 1, p95Ms: minutes + 2 }),
    };
  });

describe("What a chart draws", () => {
  it("is no line where nothing was run", () => {
    expect(columnsOf(points)).toEqual({
      times: [start / 1_000, start / 1_000 + 60, start / 1_000 + 120],
      p50: [10, null, 12],
      p95: [20, null, 40],
    });
  });

  it("shades what was not healthy and not measured, and nothing while it was idle", () => {
    const states = [
      { from: time(0), to: time(1), status: "unknown", idle: true },
      { from: time(1), to: time(2), status: "unhealthy" },
      { from: time(4), to: time(5), status: "unknown", gap: "takeover" },
    ];
    expect(spansOf(states)).toEqual([
      { status: "unhealthy", from: start + minute, to: start + 2 * minute },
      { status: "unknown", from: start + 4 * minute, to: start + 5 * minute },
    ]);
    expect(spansOf([])).toEqual([]);
  });

  it("fills a strip with the share that failed", () => {
    expect(strip(points, start, start + 3 * minute, 6)).toEqual([0, 0, null, null, 0.25, 0.25]);
    // More points than pixels: none is lost.
    expect(strip(points, start, start + 3 * minute, 1)).toEqual([1 / 8]);
    expect(strip([], start, start + minute, 3)).toEqual([-1, -1, -1]);
  });

  it("is one line over points that are closer than the runs", () => {
    const { p50, p95 } = columnsOf(sparse());
    expect(p50.filter((value) => typeof value === "number")).toHaveLength(60);
    expect(p50.slice(0, p50.findLastIndex((value) => typeof value === "number") + 1)).not.toContain(null);
    expect([alone(p50), alone(p95)]).toEqual([[], []]);
    const columns = strip(sparse(), start, start + 60 * minute, 500);
    expect(columns.slice(0, 490).every((share) => share === 0)).toBe(true);
  });

  it("has a gap where runs were missed, and where nothing ran for long", () => {
    for (const line of [
      columnsOf(sparse((minutes) => minutes === 20, 1)).p50,
      columnsOf(sparse((minutes) => minutes >= 20 && minutes < 30)).p50,
    ]) {
      expect(line.indexOf(null)).toBeGreaterThan(150);
      expect(alone(line)).toEqual([]);
    }
  });

  it("is a dot where a run stands alone", () => {
    const only = sparse((minutes) => minutes !== 20, 1);
    const { p50 } = columnsOf(only);
    expect(alone(p50)).toEqual([p50.indexOf(21)]);
    const apart = columnsOf(sparse((minutes) => minutes > 5 && minutes !== 40)).p50;
    expect(alone(apart)).toEqual([apart.indexOf(41)]);
    expect(alone([null, 1, undefined, 2, null, 3, null, undefined])).toEqual([5]);
    expect(alone([])).toEqual([]);
    expect(between([])).toEqual([]);
  });

  it("is read by the moment", () => {
    expect(pointAt(points, start + 90_000)).toBe(1);
    expect(pointAt(points, start - 1)).toBe(0);
    expect(pointAt([], start)).toBe(-1);
  });

  it("is said in words", () => {
    expect(describePoint(points[2] as ChartPoint)).toMatch(/: p50 12 ms, p95 40 ms, 4 runs, 1 failed$/);
    expect(describePoint(points[1] as ChartPoint)).toMatch(/: 3 runs missed$/);
    expect(
      describeChart({
        points,
        transitions: [{ at: time(2), before: "healthy", after: "degraded" }],
        gaps: [{ from: time(1), to: time(2) }],
        states: [
          { from: time(0), to: time(1), status: "degraded" },
          { from: time(1), to: time(2), status: "unknown", gap: "takeover" },
          { from: time(2), to: time(3), status: "unhealthy" },
        ],
        availability: 0.875,
        from: start,
        to: start + 3 * minute,
      }),
    ).toBe("8 runs, 87.5 % available, the slowest 41 ms, 1 outage, 1 gap without runs");
    expect(describeChart({ points: [], transitions: [], gaps: [], states: [], from: 0, to: 1 })).toBe(
      "No run in this time.",
    );
  });
});
