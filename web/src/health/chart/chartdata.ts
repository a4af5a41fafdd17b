import { availability, count, duration } from "../format";
import { statusOf, type Status } from "../status";

/** Measurement from a moment on, until the next point. Milliseconds; null without a measurement. */
export interface ChartPoint {
  at: string;
  runs: number;
  failed: number;
  /** Could not be made, and not begun because the one before was still going: they say nothing about the target. */
  errored?: number;
  skipped?: number;
  missed?: number;
  avgMs?: number | null;
  p50Ms?: number | null;
  p95Ms?: number | null;
  maxMs?: number | null;
}

export interface Transition {
  /** Of which target, where there are several. */
  targetId?: number;
  at: string;
  before: string;
  after: string;
  reason?: string;
}

/** A time in which runs should have been made and were not. */
export interface Gap {
  from: string;
  to: string;
  reason?: string;
}

/** A time in which the whole was not healthy, or not measured: because of a gap, or idle because it was paused or not there. */
export interface ChartState {
  from: string;
  to: string;
  status: string;
  gap?: string;
  idle?: boolean;
}

export interface ChartData {
  points: readonly ChartPoint[];
  transitions: readonly Transition[];
  gaps: readonly Gap[];
  states: readonly ChartState[];
  /** Of the whole range, between 0 and 1; absent when nothing was measured. */
  availability?: number | null;
  /** Range of the chart, in milliseconds since 1970; it holds also without points. */
  from: number;
  to: number;
}

/** How many runs said something about the target. */
export const judged = ({ runs, errored = 0, skipped = 0 }: ChartPoint) => Math.max(0, runs - errored - skipped);

/** Values over time: a line has a gap at null, and passes over undefined. */
export type Line = (number | null | undefined)[];

/** Times in seconds, and the two lines over them, as they are drawn. */
export interface Columns {
  times: number[];
  p50: Line;
  p95: Line;
}

/** How many usual distances between two runs are a gap. */
const gapFactor = 2.5;

/**
 * Points without a run between two runs of the usual distance: the points of a short range are closer than the runs of
 * a check, so they are no gap. A missed run is one.
 */
export function between(points: readonly ChartPoint[]): boolean[] {
  const ran = points.flatMap(({ runs }, at) => (runs > 0 ? [at] : []));
  const distances = ran.slice(1).map((at, before) => at - (ran[before] ?? 0));
  const usual = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 1;
  const inside = points.map(() => false);
  for (const [index, distance] of distances.entries()) {
    const first = ran[index] ?? 0;
    const empty = points.slice(first + 1, first + distance);
    if (distance > gapFactor * usual || empty.some(({ missed = 0 }) => missed > 0)) continue;
    inside.fill(true, first + 1, first + distance);
  }
  return inside;
}

export function columnsOf(points: readonly ChartPoint[]): Columns {
  const columns: Columns = { times: [], p50: [], p95: [] };
  const inside = between(points);
  for (const [at, point] of points.entries()) {
    const none = inside[at] ? undefined : null;
    columns.times.push(Date.parse(point.at) / 1_000);
    columns.p50.push(point.runs > 0 ? (point.p50Ms ?? null) : none);
    columns.p95.push(point.runs > 0 ? (point.p95Ms ?? null) : none);
  }
  return columns;
}

/** The values of a line that no other is joined to: they are drawn as dots. */
export function alone(line: Line): number[] {
  const known = line.flatMap((value, at) => (value === undefined ? [] : [at]));
  return known.filter((at, index) => {
    const neighbour = (other: number) => line[known[other] ?? -1] ?? null;
    return line[at] !== null && neighbour(index - 1) === null && neighbour(index + 1) === null;
  });
}

/** A time in which the status was not healthy, or unknown. Milliseconds since 1970. */
export interface Span {
  status: Status;
  from: number;
  to: number;
}

/** The times of degradation and failure, and those in which nothing was measured although checks were to run. */
export function spansOf(states: readonly ChartState[]): Span[] {
  return states
    .filter(({ idle = false }) => !idle)
    .map(({ status, from, to }) => ({ status: statusOf(status), from: Date.parse(from), to: Date.parse(to) }));
}

/** The share of failed runs in each pixel column of a strip; -1 where there was none, and null where runs were missed. */
export function strip(points: readonly ChartPoint[], from: number, to: number, columns: number): (number | null)[] {
  const runs = new Float64Array(columns);
  const failed = new Float64Array(columns);
  const missed = new Float64Array(columns);
  const column = (time: number) => Math.floor(((time - from) / (to - from)) * columns);
  const usual = points.length > 1 ? (to - from) / points.length : to - from;
  let start = points[0] ? Date.parse(points[0].at) : 0;
  const inside = between(points);
  let point = points[0] as ChartPoint;
  for (let at = 0; at < points.length; at += 1) {
    // Until the next run, what the last one found holds.
    if (!inside[at]) point = points[at] as ChartPoint;
    const next = points[at + 1];
    const following = next ? Date.parse(next.at) : start + usual;
    const first = Math.max(0, column(start));
    const last = Math.min(columns - 1, Math.max(first, column(following) - 1));
    for (let x = first; x <= last; x += 1) {
      runs[x] = (runs[x] ?? 0) + judged(point);
      failed[x] = (failed[x] ?? 0) + point.failed;
      missed[x] = (missed[x] ?? 0) + (point.missed ?? 0);
    }
    start = following;
  }
  return Array.from(runs, (number, x) => {
    if (number > 0) return (failed[x] ?? 0) / number;
    return (missed[x] ?? 0) > 0 ? null : -1;
  });
}

export const pointTime = (at: string) =>
  new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A point in one sentence, for the eye below the pointer and for a screen reader. */
export function describePoint(point: ChartPoint): string {
  const parts = [pointTime(point.at)];
  if (point.runs === 0) {
    parts.push((point.missed ?? 0) > 0 ? `${count(point.missed ?? 0, "run")} missed` : "no run");
    return parts.join(": ");
  }
  parts.push(
    [
      `p50 ${duration(point.p50Ms)}`,
      `p95 ${duration(point.p95Ms)}`,
      count(point.runs, "run"),
      `${point.failed.toLocaleString("en")} failed`,
      ...((point.errored ?? 0) > 0 ? [`${point.errored} not made`] : []),
      ...((point.missed ?? 0) > 0 ? [`${point.missed} missed`] : []),
    ].join(", "),
  );
  return parts.join(": ");
}

/** How many outages there were: one goes on over gaps, and from one status to the next. */
export function outagesOf(states: readonly ChartState[]): number {
  let outages = 0;
  let end: string | undefined;
  for (const { status, from, to, gap } of states) {
    const down = status === "degraded" || status === "unhealthy";
    if (down && from !== end) outages += 1;
    if (down || (gap && from === end)) end = to;
  }
  return outages;
}

/** The whole chart in one sentence. */
export function describeChart(data: ChartData): string {
  let runs = 0;
  let slowest: number | null = null;
  for (const point of data.points) {
    runs += point.runs;
    const max = point.maxMs ?? point.p95Ms ?? null;
    if (point.runs > 0 && max !== null) slowest = Math.max(slowest ?? 0, max);
  }
  if (runs === 0) return "No run in this time.";
  const spans = outagesOf(data.states);
  return [
    count(runs, "run"),
    ...(typeof data.availability === "number" ? [`${availability(data.availability)} available`] : []),
    ...(slowest === null ? [] : [`the slowest ${duration(slowest)}`]),
    ...(spans > 0 ? [count(spans, "outage")] : []),
    ...(data.gaps.length > 0 ? [`${count(data.gaps.length, "gap")} without runs`] : []),
  ].join(", ");
}

/** Which point a moment belongs to, in milliseconds since 1970; -1 without points. */
export function pointAt(points: readonly ChartPoint[], time: number): number {
  let low = 0;
  let high = points.length - 1;
  if (high < 0) return -1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (Date.parse((points[middle] as ChartPoint).at) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
