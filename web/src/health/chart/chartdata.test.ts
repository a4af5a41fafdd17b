import { describe, expect, it } from "vitest";
import { columnsOf, describeChart, describePoint, pointAt, spansOf, strip, type ChartPoint } from "./chartdata";

const start = Date.parse("2026-11-22T00:00:00Z");
const minute = 60_000;
const time = (minutes: number) => new Date(start + minutes * minute).toISOString();

const points: ChartPoint[] = [
  { at: time(0), runs: 4, failed: 0, p50Ms: 10, p95Ms: 20, maxMs: 30 },
  { at: time(1), runs: 0, failed: 0, missed: 3, p50Ms: 99 },
  { at: time(2), runs: 4, failed: 1, p50Ms: 12, p95Ms: 40, maxMs: 41 },
];

describe("What a chart draws", () => {
  it("is no line where nothing was run", () => {
    expect(columnsOf(points)).toEqual({
      times: [start / 1_000, start / 1_000 + 60, start / 1_000 + 120],
      p50: [10, null, 12],
      p95: [20, null, 40],
    });
  });

  it("shades from one change to the next, and what had begun before", () => {
    const changes = [
      { at: time(3), before: "healthy", after: "degraded" },
      { at: time(1), before: "unhealthy", after: "healthy" },
    ];
    expect(spansOf(changes, start, start + 5 * minute)).toEqual([
      { status: "unhealthy", from: start, to: start + minute },
      { status: "degraded", from: start + 3 * minute, to: start + 5 * minute },
    ]);
    expect(spansOf([], start, start + minute)).toEqual([]);
  });

  it("fills a strip with the share that failed", () => {
    expect(strip(points, start, start + 3 * minute, 6)).toEqual([0, 0, null, null, 0.25, 0.25]);
    // More points than pixels: none is lost.
    expect(strip(points, start, start + 3 * minute, 1)).toEqual([1 / 8]);
    expect(strip([], start, start + minute, 3)).toEqual([-1, -1, -1]);
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
        from: start,
        to: start + 3 * minute,
      }),
    ).toBe("8 runs, 87.5 % passed, the slowest 41 ms, one time not healthy, 1 gap without runs");
    expect(describeChart({ points: [], transitions: [], gaps: [], from: 0, to: 1 })).toBe("No run in this time.");
  });
});
