import { useState, type PointerEvent } from "react";
import { availability, count } from "./format";
import { statusOf, type Status } from "./status";
import { statusWords } from "./statuswords";

export interface Day {
  /** 2026-11-22, in UTC. */
  day: string;
  /** Between 0 and 1; null when nothing was measured. */
  availability?: number | null;
  /** Milliseconds. */
  measuredMs?: number;
  downMs?: number;
  /** Of a system of jobs, for which they count instead of time. */
  dueTimes?: number;
  missedDueTimes?: number;
  worst?: string;
}

const width = 3;
const step = 4;
const height = 24;

/** A bar is the lower the worse its day was, so that its color only repeats it. */
const heights: Record<Status, number> = { healthy: 24, "partly-unknown": 21, degraded: 17, unhealthy: 10, unknown: 3 };

/** Worst status of a day. A day without a measurement is unknown, whatever its fields say. */
export function dayStatus(day: Day): Status {
  return (day.availability === null || day.availability === undefined) && !day.measuredMs
    ? "unknown"
    : statusOf(day.worst ?? "healthy");
}

/** Availability over days, of their due times or else their measured time together, as the page of the system says it. */
export function availabilityOf(days: readonly Day[]): number | null {
  let measured = 0;
  let down = 0;
  const jobs = days.some((day) => day.dueTimes);
  for (const { measuredMs = 0, downMs = 0, dueTimes = 0, missedDueTimes = 0 } of days) {
    measured += jobs ? dueTimes : measuredMs;
    down += jobs ? missedDueTimes : downMs;
  }
  return measured > 0 ? (measured - down) / measured : null;
}

/** The days in one sentence. */
export function describeDays(days: readonly Day[]): string {
  const measured = days.filter((day) => dayStatus(day) !== "unknown");
  if (measured.length === 0) return `${days.length} days without a measurement`;
  const of = (status: Status) => measured.filter((day) => dayStatus(day) === status).length;
  const parts = [`${availability(availabilityOf(days))} available over ${count(measured.length, "measured day")}`];
  for (const status of ["unhealthy", "degraded", "partly-unknown"] as const)
    if (of(status) > 0) parts.push(`${count(of(status), "day")} ${statusWords[status].label.toLowerCase()}`);
  return parts.join(", ");
}

/** The same for the eye, which sees the bars. */
function shortly(days: readonly Day[]): string {
  const measured = days.filter((day) => dayStatus(day) !== "unknown");
  if (measured.length === 0) return `${days.length} days, nothing measured`;
  return `${days.length} days, ${availability(availabilityOf(days))}`;
}

export function describeDay(day: Day): string {
  const date = new Date(`${day.day}T00:00:00Z`).toLocaleDateString(undefined, { dateStyle: "medium", timeZone: "UTC" });
  const status = dayStatus(day);
  if (status === "unknown") return `${date}: nothing was measured`;
  const word = statusWords[status].label.toLowerCase();
  const due = day.dueTimes ? `, ${day.missedDueTimes ?? 0} of ${count(day.dueTimes, "due time")} missed` : "";
  return `${date}: ${availability(day.availability)}${due}, ${status === "healthy" ? word : `at worst ${word}`}`;
}

/** The outlines of all bars of one status: a board has many thousands of bars, and an element for each would be slow. */
export function outlines(days: readonly Day[]): Map<Status, string> {
  const paths = new Map<Status, string>();
  for (const [at, day] of days.entries()) {
    const status = dayStatus(day);
    const high = heights[status];
    const bar = `M${at * step} ${height - high}h${width}v${high}h-${width}z`;
    paths.set(status, (paths.get(status) ?? "") + bar);
  }
  return paths;
}

/** A bar for each day, the latest at the end; what a day was like is said below it while the pointer is on it. */
export function Days({ days, name }: { days: readonly Day[]; name: string }) {
  const [at, setAt] = useState<number | null>(null);
  const pointed = at === null ? undefined : days[at];
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const part = (event.clientX - box.left) / box.width;
    setAt(Math.max(0, Math.min(days.length - 1, Math.floor(part * days.length))));
  };
  const summary = describeDays(days);
  return (
    <figure className="min-w-0" data-testid="days">
      <svg
        aria-label={`The last ${days.length} days of ${name}: ${summary}`}
        className="h-6 w-full"
        onPointerLeave={() => setAt(null)}
        onPointerMove={point}
        preserveAspectRatio="none"
        role="img"
        viewBox={`0 0 ${Math.max(1, days.length * step - 1)} ${height}`}
      >
        {[...outlines(days)].map(([status, path]) => (
          <path className={statusWords[status].fill} d={path} key={status} opacity={status === "unknown" ? 0.45 : 1} />
        ))}
      </svg>
      <figcaption aria-hidden="true" className="truncate text-xs text-muted-foreground tabular-nums">
        {pointed ? describeDay(pointed) : shortly(days)}
      </figcaption>
    </figure>
  );
}
